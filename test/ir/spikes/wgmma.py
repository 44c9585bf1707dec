# wgmma.py -- spike: prints a kernel with four wgmma m64n256k16 in a loop, its accumulators in a slot.
"""One warpgroup computes C[64][256] = A[64][64] * B[256][64]^T in f16 with f32 accumulators.

Both operands lie K-major in shared memory with the 128-byte swizzle. The 128 accumulators of a thread
live in an entry-block stack slot that SROA must turn into registers; wgmma.fence, wgmma and wgmma.wait
carry all of them as tied operands (docs/design.md).
"""
ACCUMULATORS = 128
THREADS = 128
FLOATS = "!llvm.struct<(" + ", ".join(["f32"] * ACCUMULATORS) + ")>"
OUT = ",".join(["=f"] * ACCUMULATORS)
TIED = ",".join(str(i) for i in range(ACCUMULATORS))
REGISTERS = "{" + ", ".join(f"${i}" for i in range(ACCUMULATORS)) + "}"


def tied(text, values, result, extra="", constraints=""):
    """An inline-assembly op that takes the accumulators and gives them back."""
    operands = ", ".join(values)
    types = ", ".join(["f32"] * ACCUMULATORS)
    if extra:
        operands, types = f"{extra}, {operands}", f"i64, i64, i32, {types}"
    inputs = f"{constraints},{TIED}" if constraints else TIED
    return (f'    {result} = llvm.inline_asm has_side_effects "{text}", "{OUT},{inputs}" {operands}'
            f" : ({types}) -> {FLOATS}")


def unpack(struct, prefix):
    lines = [f"    {prefix}{i} = llvm.extractvalue {struct}[{i}] : {FLOATS}" for i in range(ACCUMULATORS)]
    return lines, [f"{prefix}{i}" for i in range(ACCUMULATORS)]


def copy_rows(name, source, base, rows):
    """Threads copy rows of 128 bytes in chunks of 16, chunk c of row r to c ^ (r mod 8)."""
    return f"""
    %{name}_end = arith.constant {rows * 8} : i32
    scf.for %{name}_i = %tid to %{name}_end step %threads : i32 {{
      %row = arith.shrui %{name}_i, %c3 : i32
      %chunk = arith.andi %{name}_i, %c7 : i32
      %low = arith.andi %row, %c7 : i32
      %swizzled = arith.xori %chunk, %low : i32
      %row8 = arith.shli %row, %c3 : i32
      %slot = arith.addi %row8, %swizzled : i32
      %from = llvm.getelementptr {source}[%{name}_i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
      %value = llvm.load %from {{alignment = 16 : i64}} : !llvm.ptr<1> -> vector<4xi32>
      %to = llvm.getelementptr {base}[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
      llvm.store %value, %to {{alignment = 16 : i64}} : vector<4xi32>, !llvm.ptr<3>
    }}"""


def descriptor(name, base):
    """Start address and the layout: 128-byte swizzle, 1,024 bytes from one 8-row group to the next."""
    fixed = (1 << 62) | (64 << 32) | (1 << 16)
    return f"""
    %{name}_address = llvm.ptrtoint {base} : !llvm.ptr<3> to i64
    %{name}_masked = arith.andi %{name}_address, %c3ffff : i64
    %{name}_start = arith.shrui %{name}_masked, %c4_64 : i64
    %{name}_layout = arith.constant {fixed} : i64
    %{name} = arith.ori %{name}_start, %{name}_layout : i64"""


def main():
    out = []
    emit = out.append
    emit("gpu.module @spike {")
    emit('  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<40960 x i8>')
    emit("  gpu.func @wgmma(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>) kernel {")
    for name, value in (("one_slot", ACCUMULATORS), ("c0", 0), ("c1", 1), ("c2", 2), ("c3", 3), ("c4", 4), ("c5", 5),
                        ("c7", 7), ("c8", 8), ("c16", 16), ("c31", 31), ("c256", 256), ("threads", THREADS)):
        emit(f"    %{name} = arith.constant {value} : i32")
    emit("    %c2_64 = arith.constant 2 : i64\n    %c4_64 = arith.constant 4 : i64")
    emit("    %c3ffff = arith.constant 262143 : i64\n    %zero = arith.constant 0.0 : f32")
    emit("    %tid = nvvm.read.ptx.sreg.tid.x : i32")
    emit("    %smem = llvm.mlir.addressof @tile : !llvm.ptr<3>")
    emit("    %smem_b = llvm.getelementptr %smem[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8")
    emit("    %accumulators = llvm.alloca %one_slot x f32 : (i32) -> !llvm.ptr")
    for i in range(ACCUMULATORS):
        emit(f"    %p{i} = llvm.getelementptr %accumulators[{i}] : (!llvm.ptr) -> !llvm.ptr, f32")
        emit(f"    llvm.store %zero, %p{i} : f32, !llvm.ptr")
    emit(copy_rows("copy_a", "%a", "%smem", 64))
    emit(copy_rows("copy_b", "%b", "%smem_b", 256))
    emit('    llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;", "~{memory}" : () -> ()')
    emit("    nvvm.barrier0")
    emit(descriptor("desc_a", "%smem") + descriptor("desc_b", "%smem_b"))
    emit("    scf.for %k = %c0 to %c4 step %c1 : i32 {")
    for i in range(ACCUMULATORS):
        emit(f"    %l{i} = llvm.load %p{i} : !llvm.ptr -> f32")
    emit(tied("wgmma.fence.sync.aligned;", [f"%l{i}" for i in range(ACCUMULATORS)], "%fenced"))
    lines, values = unpack("%fenced", "%f")
    out.extend(lines)
    emit("    %k64 = arith.extui %k : i32 to i64\n    %step = arith.muli %k64, %c2_64 : i64")
    emit("    %da = arith.addi %desc_a, %step : i64\n    %db = arith.addi %desc_b, %step : i64")
    n = ACCUMULATORS
    wgmma = ("{ .reg .pred p; setp.ne.b32 p, $" + str(n + 2) + ", 0; "
             "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 " + REGISTERS +
             f", ${n}, ${n + 1}, p, 1, 1, 0, 0; }}")
    emit(tied(wgmma, values, "%product", "%da, %db, %c1", "l,l,r"))
    emit("    nvvm.wgmma.commit.group.sync.aligned")
    lines, values = unpack("%product", "%m")
    out.extend(lines)
    emit(tied("wgmma.wait_group.sync.aligned 0;", values, "%waited"))
    lines, values = unpack("%waited", "%w")
    out.extend(lines)
    for i, value in enumerate(values):
        emit(f"    llvm.store {value}, %p{i} : f32, !llvm.ptr")
    emit("    }")
    # Accumulator 4*j + 2*h + e of a thread is row 16*warp + lane/4 + 8*h, column 8*j + 2*(lane mod 4) + e.
    emit("""    %lane = arith.andi %tid, %c31 : i32
    %warp = arith.shrui %tid, %c5 : i32
    %row16 = arith.muli %warp, %c16 : i32
    %lane4 = arith.shrui %lane, %c2 : i32
    %row = arith.addi %row16, %lane4 : i32
    %rowstart = arith.muli %row, %c256 : i32
    %quad = arith.andi %lane, %c3 : i32
    %pair = arith.shli %quad, %c1 : i32
    %origin = arith.addi %rowstart, %pair : i32
    %base = llvm.getelementptr %c[%origin] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32""")
    for i in range(ACCUMULATORS):
        offset = (i // 4) * 8 + ((i // 2) % 2) * 8 * 256 + i % 2
        emit(f"    %r{i} = llvm.load %p{i} : !llvm.ptr -> f32")
        emit(f"    %q{i} = llvm.getelementptr %base[{offset}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32")
        emit(f"    llvm.store %r{i}, %q{i} : f32, !llvm.ptr<1>")
    emit("    gpu.return\n  }\n}")
    print("\n".join(out))


if __name__ == "__main__":
    main()
