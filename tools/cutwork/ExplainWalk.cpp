// ExplainWalk.cpp -- the walk of Composition.h, step by step in words.
#include "ExplainWalk.h"

#include <fmt/format.h>

#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Modes.h"

namespace cutwork::tool {

using cute::Int;
using cute::IntTuple;
using cute::IntTupleView;
using cute::Layout;
using cute::LayoutView;
using cute::Tiler;
using cute::Truth;

namespace {

// The modes that a walk goes through: A's coalesced ones, or A itself if it is one mode.
Expected<std::vector<LeafMode>> modesToWalk(const Layout& a) {
  std::vector<LeafMode> modes = leavesOf(a);
  if (modes.empty()) modes.push_back({1, IntTuple(0)});
  if (modes.size() == 1) return modes;
  // The last mode goes on without end: it counts as a mode even where its extent is 1.
  bool kept = modes.back().extent.is(1);
  if (kept) modes.back().extent = 2;
  CW_TRY(Layout flat, layoutOf(modes));
  CW_TRY(Layout shorter, cute::coalesce(flat));
  modes = leavesOf(shorter);
  if (kept) modes.back().extent = cute::floorDiv(modes.back().extent, 2);
  return modes;
}

// The mode of A that the walk is in: A, or what a basis stride names.
Expected<Layout> walkedLayout(const Layout& a, IntTupleView stride) {
  std::vector<int> path;
  for (int i = 0; i < stride.basis().depth(); ++i) path.push_back(stride.basis()[i]);
  if (path.empty()) return a;
  return cute::get(a, path);
}

IntTuple scaled(Int factor, const IntTuple& stride) {
  return IntTuple::basis(factor * stride.value(), stride.view().basis());
}

bool holds(Int a, Int b) { return cute::divides(a, b) == Truth::Yes; }

class Walk {
 public:
  Walk(Step& step, std::vector<LeafMode> modes) : step_(step), modes_(std::move(modes)) {}

  // The pieces of extent:stride; everything is static and known to compose.
  std::vector<LeafMode> pieces(Int extent, Int stride) {
    std::vector<LeafMode> out;
    Int n = extent;
    Int e = stride;
    std::size_t last = modes_.size() - 1;
    if (n.is(1)) return {one(e)};
    for (std::size_t i = 0; i < last && !n.is(1); ++i) {
      const LeafMode& in = modes_[i];
      if (holds(in.extent, e)) {
        say(in, fmt::format("the step {} is a multiple of the extent {}: nothing moves here, the "
                            "step becomes {}",
                            e.text(), in.extent.text(), cute::floorDiv(e, in.extent).text()));
        e = cute::floorDiv(e, in.extent);
        continue;
      }
      Int reached = (n - 1) * e;
      Int piece = n;
      if (e.value() > 0 && reached.value() < in.extent.value()) {
        say(in, fmt::format("all {} steps of {} stay within {}: piece {}", n.text(), e.text(),
                            in.extent.text(), pieceText(n, e, in)));
      } else {
        piece = cute::ceilDiv(in.extent, e);
        bool exact = holds(e, in.extent);
        say(in, fmt::format("the extent {} holds {} steps of {}{}: piece {}", in.extent.text(),
                            piece.text(), e.text(), exact ? "" : " (rounded up)",
                            pieceText(piece, e, in)));
      }
      out.push_back({piece, scaled(e, in.stride)});
      n = cute::floorDiv(n, piece);
      e = cute::ceilDiv(e, in.extent);
      if (!n.is(1))
        step_.details.push_back(fmt::format("  left: {} with step {}", n.text(), e.text()));
    }
    if (!n.is(1) || out.empty()) {
      const LeafMode& in = modes_[last];
      say(in, fmt::format("the last mode takes the rest: piece {}", pieceText(n, e, in)));
      out.push_back({n, scaled(e, in.stride)});
    }
    return out;
  }

 private:
  void say(const LeafMode& in, const std::string& what) {
    step_.details.push_back(fmt::format("in {}: {}", in.text(), what));
  }
  static std::string pieceText(Int n, Int e, const LeafMode& in) {
    return LeafMode{n, scaled(e, in.stride)}.text();
  }
  // An extent of 1 moves nowhere; its stride says where the next coordinate would lie.
  LeafMode one(Int e) {
    for (std::size_t i = 0; i + 1 < modes_.size(); ++i) e = cute::ceilDiv(e, modes_[i].extent);
    LeafMode made{1, scaled(e, modes_.back().stride)};
    step_.details.emplace_back("an extent of 1 does not move; no coordinate uses its stride");
    return made;
  }

  Step& step_;
  std::vector<LeafMode> modes_;
};

Status walkInto(Explanation& out, cute::LayoutBuilder& made, const Layout& a, LayoutView b,
                const std::string& of, const std::string& where) {
  if (!b.isLeaf()) {
    made.open();
    for (int i = 0; i < b.rank(); ++i) {
      std::string mode = where.starts_with("mode ") ? fmt::format("mode {}.{}", i, where.substr(5))
                                                    : fmt::format("mode {} of {}", i, where);
      CW_DO(walkInto(out, made, a, b[i], of, mode));
    }
    made.close();
    return Success{};
  }
  std::string text = b.text();
  if (b.stride.value().is(0)) {
    out.step(fmt::format("{}, {}: a stride of 0 stays", where, text));
    made.leaf(b.shape.value(), 0);
    return Success{};
  }
  CW_TRY(Layout walked, walkedLayout(a, b.stride));
  CW_TRY(std::vector<LeafMode> modes, modesToWalk(walked));
  std::string through =
      b.stride.isBasis() ? fmt::format("{} at {}", of, IntTuple::basis(1, b.stride.basis()).text())
                         : of;
  Step& step =
      out.step(fmt::format("{}, {}, walks through {} = {}", where, text, through, listOf(modes)));
  std::vector<LeafMode> pieces =
      Walk(step, std::move(modes)).pieces(b.shape.value(), b.stride.value());
  CW_TRY(Layout piece, layoutOf(pieces));
  if (!b.shape.value().is(1)) {
    step.details.push_back(fmt::format("so {} becomes {}", text, piece.text()));
  }
  made.append(piece);
  return Success{};
}

}  // namespace

Expected<Layout> walk(Explanation& out, const Layout& a, const Layout& b, const std::string& of,
                      const std::string& name) {
  if (!cute::isStatic(a.view()) || !cute::isStatic(b.view())) {
    out.step(
        fmt::format("{} walks through {}; the walk is shown for static layouts only", name, of));
    return cute::composition(a, b);
  }
  if (!a.shape().isLeaf()) {
    CW_TRY(Layout shorter, cute::coalesce(a));
    bool same = shorter == a || cute::hasBasisStrides(b.view());
    if (!same) out.step(fmt::format("{} coalesced: {}", of, shorter.text()));
  }
  cute::LayoutBuilder made;
  CW_DO(walkInto(out, made, a, b.view(), of, name));
  return made.finish();
}

Expected<Layout> walkTiler(Explanation& out, const Layout& a, const Tiler& b, const std::string& of,
                           const std::string& name) {
  if (b.isHole()) {
    out.step(fmt::format("{} is a hole: {} = {} stays as it is", name, of, a.text()));
    return a;
  }
  if (b.isLayout()) return walk(out, a, b.layout(), of, name);
  cute::LayoutBuilder made;
  made.open();
  for (std::size_t i = 0; i < b.modes().size(); ++i) {
    Layout mode(a[static_cast<int>(i)]);
    out.step(fmt::format("by mode: {0}{2} = {3} after {1}{2} = {4}", of, name, i, mode.text(),
                         b.modes()[i].text()));
    CW_TRY(Layout part, walkTiler(out, mode, b.modes()[i], fmt::format("{}{}", of, i),
                                  fmt::format("{}{}", name, i)));
    made.append(part);
  }
  made.close();
  return made.finish();
}

Tiler withoutHoles(const Tiler& tiler, LayoutView a) {
  if (tiler.isHole()) return Tiler(cute::size(a));
  if (tiler.isLayout()) return tiler;
  std::vector<Tiler> modes;
  modes.reserve(tiler.modes().size());
  for (std::size_t i = 0; i < tiler.modes().size(); ++i) {
    modes.push_back(withoutHoles(tiler.modes()[i], a[static_cast<int>(i)]));
  }
  return Tiler::byMode(std::move(modes));
}

IntTuple withZeros(IntTupleView coordinate, IntTupleView shape) {
  if (coordinate.isLeaf() || shape.isLeaf()) return IntTuple(coordinate);
  std::vector<IntTuple> modes;
  modes.reserve(static_cast<std::size_t>(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    modes.push_back(i < coordinate.rank() ? withZeros(coordinate[i], shape[i]) : IntTuple(0));
  }
  return IntTuple(std::span<const IntTuple>(modes));
}

}  // namespace cutwork::tool
