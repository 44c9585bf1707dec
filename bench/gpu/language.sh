#!/usr/bin/env bash
# language.sh -- on a machine with a GPU: every case verified, bandwidths beside torch's, launches,
# a planted fault under compute-sanitizer. Arguments: the folder with cutwork and libtorch_peers.so.
set -u
folder=$1
here=$(dirname "$0")
for case in $("$folder/cutwork" cases | cut -d' ' -f1); do
  "$folder/cutwork" verify "$case" --device cuda:0 --against sim:sm_90a 2>&1 | cut -c1-160 | sed "s/^/verify $case: /"
done
PYTHONUNBUFFERED=1 python3 "$here/torch_peers.py" "$folder/libtorch_peers.so" 2>&1
python3 - "$folder/libtorch_peers.so" <<'P'
import ctypes, sys, torch
torch.zeros(1, device="cuda")
ctypes.CDLL(sys.argv[1]).cw_launch_overhead()
P
compute-sanitizer python3 -c "
import ctypes, torch
x = torch.zeros(64, device='cuda', dtype=torch.float16)
ctypes.CDLL('$folder/libtorch_peers.so').cw_planted_fault(ctypes.c_uint64(x.data_ptr()))
" 2>&1 | grep -A6 "Invalid\|TorchPeers" | head -12
