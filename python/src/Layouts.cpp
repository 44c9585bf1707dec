// Layouts.cpp -- layouts, swizzles and the algebra for Python.
#include "Convert.h"
#include "cutwork/Layout.h"

namespace cutwork::python {

namespace {

// An operation on a layout of any kind, whose operands come from Python.
template <class F>
nb::object any(F&& f) {
  Expected<cute::AnyLayout> result = f();
  return fromLayout(std::move(result).value());
}

nb::object tuple(Expected<cute::IntTuple> result) { return fromTuple(std::move(result).value()); }

cute::ComposedLayout::Inner innerOf(nb::handle object) {
  if (nb::isinstance<cute::Swizzle>(object)) return nb::cast<cute::Swizzle>(object);
  return toLayout(object);
}

nb::object makeLayout(nb::handle shape, nb::handle stride) {
  bool ofLayouts = nb::isinstance<nb::tuple>(shape) || nb::isinstance<nb::list>(shape);
  std::vector<cute::Layout> modes;
  if (ofLayouts) {
    for (nb::handle item : nb::borrow<nb::iterable>(shape)) {
      ofLayouts = ofLayouts && nb::isinstance<cute::Layout>(item);
      if (ofLayouts) modes.push_back(toLayout(item));
    }
  }
  if (ofLayouts && !modes.empty()) {
    return nb::cast(cute::make_layout(std::span<const cute::Layout>(modes)).value());
  }
  if (stride.is_none()) return nb::cast(cute::make_layout(toTuple(shape)).value());
  return nb::cast(cute::make_layout(toTuple(shape), toTuple(stride)).value());
}

// shape, stride, text and calls, as both kinds of layout have them.
template <class L>
void defineCommon(nb::class_<L>& c) {
  c.def_prop_ro("shape", [](const L& l) { return fromTuple(cute::LayoutView(l).shape); });
  c.def_prop_ro("stride", [](const L& l) { return fromTuple(cute::LayoutView(l).stride); });
  c.def_prop_ro("rank", [](const L& l) { return cute::LayoutView(l).rank(); });
  c.def_prop_ro("depth", [](const L& l) { return cute::LayoutView(l).depth(); });
  c.def_prop_ro("max_alignment", [](const L& l) { return wrap(cute::max_alignment(l).value()); });
  c.def_prop_ro("is_static", [](const L& l) { return cute::isStatic(cute::LayoutView(l)); });
  c.def("__str__", [](const L& l) { return l.text(); });
  c.def("__repr__", [](const L& l) { return l.text(); });
  c.def(
      "__eq__",
      [](const L& l, nb::handle other) {
        return nb::isinstance<L>(other) && l == nb::cast<const L&>(other);
      },
      nb::arg().none());
  c.def("__hash__", [](const L& l) { return std::hash<std::string>()(l.text()); });
  c.def("__call__", [](const L& l, nb::args coord) {
    nb::object c = coord.size() == 1 ? nb::object(coord[0]) : nb::object(nb::tuple(coord));
    return tuple(cute::crd2idx(toTuple(c), cute::AnyLayout(l)));
  });
  c.def("get_hier_coord", [](const L& l, nb::handle index) {
    return tuple(cute::idx2crd(toTuple(index), cute::IntTuple(cute::LayoutView(l).shape)));
  });
  c.def("get_flat_coord", [](const L& l, nb::handle index) {
    Expected<cute::IntTuple> at =
        cute::idx2crd(toTuple(index), cute::IntTuple(cute::LayoutView(l).shape));
    return fromTuple(cute::flatten(at.value()));
  });
}

void bindClasses(nb::module_& m) {
  nb::class_<cute::Swizzle> swizzle(m, "Swizzle");
  swizzle.def_prop_ro("num_bits", &cute::Swizzle::bits)
      .def_prop_ro("num_base", &cute::Swizzle::base)
      .def_prop_ro("num_shift", &cute::Swizzle::shift)
      .def("__str__", &cute::Swizzle::text)
      .def("__repr__", &cute::Swizzle::text)
      .def(
          "__eq__",
          [](const cute::Swizzle& a, nb::handle b) {
            return nb::isinstance<cute::Swizzle>(b) && a == nb::cast<cute::Swizzle>(b);
          },
          nb::arg().none())
      .def("__hash__", [](const cute::Swizzle& s) { return std::hash<std::string>()(s.text()); })
      .def("__call__",
           [](const cute::Swizzle& s, nb::handle x) { return wrap(s(toTuple(x).value())); });
  nb::class_<cute::Layout> layout(m, "Layout");
  defineCommon(layout);
  layout.def("__getitem__", [](const cute::Layout& l, nb::handle mode) {
    return nb::cast(cute::get(l, toModes(mode)).value());
  });
  nb::class_<cute::ComposedLayout> composed(m, "ComposedLayout");
  defineCommon(composed);
  composed.def_prop_ro("inner", [](const cute::ComposedLayout& l) -> nb::object {
    if (const auto* s = l.swizzle()) return nb::cast(*s);
    return nb::cast(std::get<cute::Layout>(l.inner()));
  });
  composed.def_prop_ro("offset",
                       [](const cute::ComposedLayout& l) { return fromTuple(l.offset()); });
  composed.def_prop_ro("outer", [](const cute::ComposedLayout& l) { return l.outer(); });
  composed.def("__getitem__", [](const cute::ComposedLayout& l, nb::handle mode) {
    return nb::cast(l.withOuter(cute::get(l.outer(), toModes(mode)).value()));
  });
}

void bindConstruction(nb::module_& m) {
  m.def("make_layout", &makeLayout, nb::arg("shape"), nb::arg("stride").none() = nb::none());
  m.def("make_ordered_layout", [](nb::handle shape, nb::handle order) {
    return nb::cast(cute::make_ordered_layout(toTuple(shape), toTuple(order)).value());
  });
  m.def("make_identity_layout", [](nb::handle shape) {
    return nb::cast(cute::make_identity_layout(toTuple(shape)).value());
  });
  m.def("make_layout_like",
        [](nb::handle l) { return nb::cast(cute::make_layout_like(toAnyLayout(l)).value()); });
  m.def("make_swizzle",
        [](int b, int base, int s) { return cute::Swizzle::make(b, base, s).value(); });
  m.def("make_composed_layout", [](nb::handle inner, nb::handle offset, nb::handle outer) {
    return cute::make_composed_layout(innerOf(inner), toTuple(offset), toLayout(outer)).value();
  });
  m.def("make_layout_tv", [](nb::handle threads, nb::handle values) {
    cute::TiledTV made = cute::make_layout_tv(toLayout(threads), toLayout(values)).value();
    return nb::make_tuple(fromTuple(made.tiler), nb::cast(made.tv));
  });
  m.def("recast_layout", [](std::int64_t to, std::int64_t from, nb::handle l) {
    return any([&] { return cute::recast_layout(to, from, toAnyLayout(l)); });
  });
  m.def("make_layout_image_mask", [](nb::handle l, nb::handle coord, int mode) {
    return wrap(cute::make_layout_image_mask(toLayout(l), toTuple(coord), mode).value());
  });
}

void bindQueries(nb::module_& m) {
  m.def("size", [](nb::handle l) { return wrap(cute::size(cute::LayoutView(toAnyLayout(l)))); });
  m.def("product", [](nb::handle t) {
    cute::IntTuple tuple = toTuple(t);
    return wrap(cute::checked(cute::product(tuple)).value());
  });
  m.def("cosize", [](nb::handle l) { return wrap(cute::cosize(toAnyLayout(l)).value()); });
  m.def("tuple_depth", [](nb::handle t) { return toTuple(t).depth(); });
  m.def("is_static_tuple", [](nb::handle t) { return cute::isStatic(toTuple(t).view()); });
  m.def("crd2idx", [](nb::handle coord, nb::handle l) {
    return tuple(cute::crd2idx(toTuple(coord), toAnyLayout(l)));
  });
  m.def("crd2idx_shape", [](nb::handle coord, nb::handle shape) {
    return tuple(cute::crd2idx(toTuple(coord), toTuple(shape)));
  });
  m.def("idx2crd", [](nb::handle index, nb::handle shape) {
    return tuple(cute::idx2crd(toTuple(index), toTuple(shape)));
  });
  m.def("idx2crd_stride", [](nb::handle index, nb::handle shape, nb::handle stride) {
    return tuple(cute::idx2crd(toTuple(index), toTuple(shape), toTuple(stride)));
  });
  m.def("max_common_layout", [](nb::handle a, nb::handle b) {
    return cute::max_common_layout(toLayout(a), toLayout(b)).value();
  });
  m.def("max_common_vector", [](nb::handle a, nb::handle b) {
    return wrap(cute::max_common_vector(toLayout(a), toLayout(b)).value());
  });
}

void bindTuples(nb::module_& m) {
  m.def("ceil_div",
        [](nb::handle a, nb::handle b) { return tuple(cute::ceil_div(toTuple(a), toTuple(b))); });
  m.def("ceil_div_tiler", [](nb::handle a, nb::handle b) {
    return tuple(cute::ceilDivByTiler(toTuple(a), toTiler(b)));
  });
  m.def("round_up",
        [](nb::handle a, nb::handle b) { return tuple(cute::round_up(toTuple(a), toTuple(b))); });
  m.def("shape_div",
        [](nb::handle a, nb::handle b) { return tuple(cute::shape_div(toTuple(a), toTuple(b))); });
  m.def("product_each", [](nb::handle a) { return tuple(cute::product_each(toTuple(a))); });
  m.def("flatten_tuple", [](nb::handle a) { return fromTuple(cute::flatten(toTuple(a))); });
  m.def("unflatten", [](nb::handle a, nb::handle profile) {
    return tuple(cute::unflatten(toTuple(a), toTuple(profile)));
  });
  m.def("prefix_product", [](nb::handle a) { return tuple(cute::prefix_product(toTuple(a))); });
  m.def("increment_coord", [](nb::handle c, nb::handle shape) {
    return tuple(cute::increment_coord(toTuple(c), toTuple(shape)));
  });
  m.def("elem_less_static", [](nb::handle a, nb::handle b) {
    return wrap(cute::elemLess(toTuple(a), toTuple(b)).value());
  });
  m.def("slice_tuple", [](nb::handle coord, nb::handle t) {
    return tuple(cute::slice(toTuple(coord), toTuple(t)));
  });
  m.def("dice_tuple", [](nb::handle coord, nb::handle t) {
    return tuple(cute::dice(toTuple(coord), toTuple(t)));
  });
  m.def("assume", [](nb::handle x, std::int64_t divisor) {
    return wrap(cute::checked(cute::assumeDivisible(toTuple(x).value(), divisor)).value());
  });
  m.def("divisibility", [](nb::handle x) { return toTuple(x).value().divisor(); });
  m.def("group_tuple", [](nb::handle t, int begin, int end) {
    return tuple(cute::group(toTuple(t), begin, end));
  });
}

template <class F>
void defineTiled(nb::module_& m, const char* name, F f) {
  m.def(name, [f](nb::handle l, nb::handle tiler) {
    return any([&] { return f(toAnyLayout(l), toTiler(tiler)); });
  });
}

void bindAlgebra(nb::module_& m) {
  using Any = cute::AnyLayout;
  using cute::Tiler;
  defineTiled(m, "logical_divide",
              [](const Any& l, const Tiler& t) { return logical_divide(l, t); });
  defineTiled(m, "zipped_divide", [](const Any& l, const Tiler& t) { return zipped_divide(l, t); });
  defineTiled(m, "tiled_divide", [](const Any& l, const Tiler& t) { return tiled_divide(l, t); });
  defineTiled(m, "flat_divide", [](const Any& l, const Tiler& t) { return flat_divide(l, t); });
  defineTiled(m, "logical_product",
              [](const Any& l, const Tiler& t) { return logical_product(l, t); });
  defineTiled(m, "zipped_product",
              [](const Any& l, const Tiler& t) { return zipped_product(l, t); });
  defineTiled(m, "tiled_product", [](const Any& l, const Tiler& t) { return tiled_product(l, t); });
  defineTiled(m, "flat_product", [](const Any& l, const Tiler& t) { return flat_product(l, t); });
  m.def("blocked_product", [](nb::handle a, nb::handle b) {
    return any([&] { return cute::blocked_product(toAnyLayout(a), toLayout(b)); });
  });
  m.def("raked_product", [](nb::handle a, nb::handle b) {
    return any([&] { return cute::raked_product(toAnyLayout(a), toLayout(b)); });
  });
  m.def("composition", [](nb::handle a, nb::handle b) {
    if (nb::isinstance<cute::ComposedLayout>(b)) {
      return any([&] {
        return cute::composition(toAnyLayout(a), nb::cast<const cute::ComposedLayout&>(b));
      });
    }
    return any([&] { return cute::composition(toAnyLayout(a), toTiler(b)); });
  });
  m.def(
      "complement",
      [](nb::handle l, nb::handle cotarget) {
        if (cotarget.is_none()) return nb::cast(cute::complement(toAnyLayout(l)).value());
        return nb::cast(cute::complement(toAnyLayout(l), toTuple(cotarget)).value());
      },
      nb::arg("layout"), nb::arg("cotarget").none() = nb::none());
  m.def(
      "coalesce",
      [](nb::handle l, nb::handle profile) {
        if (profile.is_none()) return any([&] { return cute::coalesce(toAnyLayout(l)); });
        return any([&] { return cute::coalesce(toAnyLayout(l), toTuple(profile)); });
      },
      nb::arg("layout"), nb::arg("profile").none() = nb::none());
  m.def("filter_zeros",
        [](nb::handle l) { return any([&] { return cute::filter_zeros(toAnyLayout(l)); }); });
  m.def("filter", [](nb::handle l) { return any([&] { return cute::filter(toAnyLayout(l)); }); });
  m.def("flatten", [](nb::handle l) { return any([&] { return cute::flatten(toAnyLayout(l)); }); });
  m.def("right_inverse",
        [](nb::handle l) { return any([&] { return cute::right_inverse(toAnyLayout(l)); }); });
  m.def("left_inverse",
        [](nb::handle l) { return any([&] { return cute::left_inverse(toAnyLayout(l)); }); });
  m.def(
      "tile_to_shape",
      [](nb::handle l, nb::handle shape, nb::handle order) {
        if (order.is_none()) {
          return any([&] { return cute::tile_to_shape(toAnyLayout(l), toTuple(shape)); });
        }
        return any(
            [&] { return cute::tile_to_shape(toAnyLayout(l), toTuple(shape), toTuple(order)); });
      },
      nb::arg("layout"), nb::arg("shape"), nb::arg("order").none() = nb::none());
}

// With one more mode, or with as many as make it of a rank.
template <class F>
void defineExtension(nb::module_& m, const char* name, F extend) {
  m.def(
      name,
      [extend](nb::handle l, nb::handle element, nb::handle rank) {
        return any([&] {
          return toAnyLayout(l).map([&](const cute::Layout& x) {
            return rank.is_none() ? extend(x, toLayout(element))
                                  : extend(x, toLayout(element), nb::cast<int>(rank));
          });
        });
      },
      nb::arg("layout"), nb::arg("element"), nb::arg("rank").none());
}

void bindModes(nb::module_& m) {
  m.def("get", [](nb::handle l, nb::handle path) {
    return any([&] {
      return toAnyLayout(l).map([&](const cute::Layout& x) { return cute::get(x, toModes(path)); });
    });
  });
  m.def("select", [](nb::handle l, nb::handle modes) {
    return any([&] {
      return toAnyLayout(l).map(
          [&](const cute::Layout& x) { return cute::select(x, toModes(modes)); });
    });
  });
  m.def("group_modes", [](nb::handle l, int begin, int end) {
    return any([&] {
      return toAnyLayout(l).map([&](const cute::Layout& x) { return cute::group(x, begin, end); });
    });
  });
  defineExtension(m, "append", [](const auto&... x) { return cute::append(x...); });
  defineExtension(m, "prepend", [](const auto&... x) { return cute::prepend(x...); });
  m.def("slice_layout", [](nb::handle coord, nb::handle l) {
    return any([&] { return cute::slice(toTuple(coord), toAnyLayout(l)); });
  });
  m.def("dice_layout", [](nb::handle coord, nb::handle l) {
    return any([&] { return cute::dice(toTuple(coord), toAnyLayout(l)); });
  });
  m.def("slice_and_offset", [](nb::handle coord, nb::handle l) {
    cute::OffsetLayout part = cute::slice_and_offset(toTuple(coord), toAnyLayout(l)).value();
    return nb::make_tuple(fromLayout(part.layout), fromTuple(part.offset));
  });
  m.def("local_tile", [](nb::handle l, nb::handle tiler, nb::handle coord, nb::handle proj) {
    cute::OffsetLayout part =
        proj.is_none()
            ? cute::local_tile(toAnyLayout(l), toTiler(tiler), toTuple(coord)).value()
            : cute::local_tile(toAnyLayout(l), toTiler(tiler), toTuple(coord), toTuple(proj))
                  .value();
    return nb::make_tuple(fromLayout(part.layout), fromTuple(part.offset));
  });
}

}  // namespace

void bindLayouts(nb::module_& m) {
  bindClasses(m);
  bindConstruction(m);
  bindQueries(m);
  bindTuples(m);
  bindAlgebra(m);
  bindModes(m);
}

}  // namespace cutwork::python
