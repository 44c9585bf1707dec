// Text.cpp -- the parser of the text form.
#include "cutwork/Layout/Text.h"

#include <charconv>

#include "Refusal.h"

namespace cutwork::cute {

namespace {

class Parser {
 public:
  Parser(std::string_view text, const DynamicFactory& dynamic) : text_(text), dynamic_(dynamic) {}

  /// `parse` applied to the whole text.
  template <class F>
  auto whole(F&& parse) -> decltype(parse(*this)) {
    auto result = parse(*this);
    if (!result) return result;
    skipSpaces();
    if (at_ < text_.size()) return expected("the end");
    return result;
  }

  Expected<IntTuple> tuple() {
    IntTupleBuilder out;
    CW_DO(tupleInto(out, 0));
    auto made = out.finish();
    if (!made) return expected(made.error().message());
    return made;
  }

  Expected<Layout> layout() {
    CW_TRY(IntTuple shape, tuple());
    CW_DO(take(':'));
    CW_TRY(IntTuple stride, tuple());
    return Layout::make(std::move(shape), std::move(stride));
  }

  Expected<AnyLayout> anyLayout() {
    ComposedLayout::Inner inner;
    if (peek('S')) {
      CW_TRY(inner, swizzle());
    } else {
      CW_TRY(Layout first, layout());
      if (!peek('o')) return AnyLayout(std::move(first));
      inner = std::move(first);
    }
    CW_DO(take('o'));
    CW_TRY(IntTuple offset, tuple());
    CW_DO(take('o'));
    CW_TRY(Layout outer, layout());
    auto composed = ComposedLayout::make(std::move(inner), std::move(offset), std::move(outer));
    if (!composed) return std::move(composed).takeError();
    return AnyLayout(*std::move(composed));
  }

  Expected<Swizzle> swizzle() {
    std::int64_t field[3] = {};
    CW_DO(take('S'));
    for (int i = 0; i < 3; ++i) {
      CW_DO(take(i == 0 ? '<' : ','));
      CW_TRY(field[i], number());
    }
    CW_DO(take('>'));
    return Swizzle::make(field[0], field[1], field[2]);
  }

  Expected<Tiler> tiler(int depth = 0) {
    if (!peek('[')) {
      CW_TRY(IntTuple shape, tuple());
      if (!peek(':')) return Tiler::fromShape(shape);
      CW_DO(take(':'));
      CW_TRY(IntTuple stride, tuple());
      CW_TRY(Layout layout, Layout::make(std::move(shape), std::move(stride)));
      return Tiler(std::move(layout));
    }
    if (depth >= kMaxDepth)
      return expected("at most " + std::to_string(kMaxDepth) + " levels of nesting");
    std::vector<Tiler> modes;
    CW_DO(take('['));
    while (!peek(']')) {
      if (!modes.empty()) {
        CW_DO(take(','));
      }
      CW_TRY(Tiler mode, tiler(depth + 1));
      modes.push_back(std::move(mode));
    }
    CW_DO(take(']'));
    return Tiler::byMode(std::move(modes));
  }

 private:
  void skipSpaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool peek(char c) {
    skipSpaces();
    return at_ < text_.size() && text_[at_] == c;
  }
  Error expected(std::string_view what) const {
    std::string found = at_ < text_.size() ? fmt::format("'{}'", text_.substr(at_, 12)) : "the end";
    return refuse("column {}: expected {}, found {}", at_ + 1, what, found);
  }
  Status take(char c) {
    if (!peek(c)) return expected(fmt::format("'{}'", c));
    ++at_;
    return Success{};
  }

  Expected<std::int64_t> number() {
    skipSpaces();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    auto [stop, code] = std::from_chars(begin, end, value);
    if (code == std::errc::result_out_of_range) return expected("an integer of 64 bits");
    if (code != std::errc()) return expected("an integer");
    at_ += static_cast<std::size_t>(stop - begin);
    return value;
  }

  Status tupleInto(IntTupleBuilder& out, int depth) {
    if (peek('_')) {
      ++at_;
      out.hole();
      return Success{};
    }
    if (!peek('(')) return leafInto(out);
    if (depth >= kMaxDepth)
      return expected("at most " + std::to_string(kMaxDepth) + " levels of nesting");
    ++at_;
    out.open();
    for (bool first = true; !peek(')'); first = false) {
      if (!first) {
        CW_DO(take(','));
      }
      CW_DO(tupleInto(out, depth + 1));
    }
    ++at_;
    out.close();
    return Success{};
  }

  Status leafInto(IntTupleBuilder& out) {
    Int value;
    if (peek('?')) {
      CW_TRY(value, dynamicInt());
    } else {
      skipSpaces();
      if (at_ == text_.size() || (text_[at_] != '-' && (text_[at_] < '0' || text_[at_] > '9'))) {
        return expected("an integer, '(', '_' or '?'");
      }
      CW_TRY(value, number());
    }
    BasisPath reversed;
    while (peek('@')) {
      ++at_;
      CW_TRY(std::int64_t mode, number());
      if (mode < 0 || mode > BasisPath::kMaxMode || reversed.depth() == BasisPath::kMaxDepth) {
        return refuse("column {}: a basis element has at most {} modes from 0 to {}", at_ + 1,
                      BasisPath::kMaxDepth, BasisPath::kMaxMode);
      }
      reversed.push(static_cast<int>(mode));
    }
    BasisPath path;
    for (int i = reversed.depth(); i-- > 0;) path.push(reversed[i]);
    out.leaf(value, path);
    return Success{};
  }

  Expected<Int> dynamicInt() {
    ++at_;
    Width width = Width::I32;
    std::int64_t divisor = 1;
    if (peek('{')) {
      ++at_;
      if (word("i64")) width = Width::I64;
      if (word("div=")) {
        CW_TRY(divisor, number());
        if (divisor < 1) return refuse("column {}: a divisor is at least 1", at_ + 1);
      }
      CW_DO(take('}'));
    }
    if (!dynamic_) return refuse("column {}: a static value is needed, not ?", at_);
    return dynamic_(width, divisor);
  }

  bool word(std::string_view w) {
    skipSpaces();
    if (!text_.substr(at_).starts_with(w)) return false;
    at_ += w.size();
    return true;
  }

  std::string_view text_;
  const DynamicFactory& dynamic_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<IntTuple> parseTuple(std::string_view text, const DynamicFactory& dynamic) {
  return Parser(text, dynamic).whole([](Parser& p) { return p.tuple(); });
}

Expected<Int> parseInt(std::string_view text, const DynamicFactory& dynamic) {
  CW_TRY(IntTuple tuple, parseTuple(text, dynamic));
  if (!tuple.isInt()) return refuse("expected an integer, found {}", tuple.text());
  return tuple.value();
}

Expected<Layout> parseLayout(std::string_view text, const DynamicFactory& dynamic) {
  return Parser(text, dynamic).whole([](Parser& p) { return p.layout(); });
}

Expected<AnyLayout> parseAnyLayout(std::string_view text, const DynamicFactory& dynamic) {
  return Parser(text, dynamic).whole([](Parser& p) { return p.anyLayout(); });
}

Expected<Swizzle> parseSwizzle(std::string_view text) {
  DynamicFactory none;
  return Parser(text, none).whole([](Parser& p) { return p.swizzle(); });
}

Expected<Tiler> parseTiler(std::string_view text, const DynamicFactory& dynamic) {
  return Parser(text, dynamic).whole([](Parser& p) { return p.tiler(); });
}

}  // namespace cutwork::cute
