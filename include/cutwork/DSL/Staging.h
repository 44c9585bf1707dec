// cutwork/DSL/Staging.h -- what a front end in another language traces with: places of its own, and
// bodies that are opened and closed instead of passed as functions.
//
//     WithPlaces places(source);                  // operations and errors come from source.place()
//     Region loop = Region::loop({0, n});         // operations go into the body from here on
//     ... loop.index() ...
//     loop.close();                               // and behind the loop again
#pragma once

#include <memory>
#include <optional>

#include "cutwork/DSL/Control.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// Says where in the user's program an operation is being traced.
class PlaceSource {
 public:
  PlaceSource() = default;
  PlaceSource(const PlaceSource&) = delete;
  PlaceSource& operator=(const PlaceSource&) = delete;
  virtual ~PlaceSource() = default;
  virtual SourcePlace place() = 0;
};

/// While it lives, operations and errors of this thread have the source's places instead of C++'s.
class WithPlaces {
 public:
  explicit WithPlaces(PlaceSource& source);
  WithPlaces(const WithPlaces&) = delete;
  WithPlaces& operator=(const WithPlaces&) = delete;
  ~WithPlaces();

 private:
  PlaceSource* outer_;
};

/// Where operations and errors are outside of any WithPlaces, on every thread; null: C++'s. It
/// lives as long as it is set.
void setPlaces(PlaceSource* source);

/// A body that is open: operations go into it until it is closed. Regions close in the opposite
/// order of their opening. Error (User): one that belongs to another trace, or is closed already.
class Region {
 public:
  /// The body of an if; orElse() ends it and opens the other one.
  static Region branch(const Arg& condition);
  void orElse();
  /// The body of a counting loop; index() is its counter.
  static Region loop(const Range& range);
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): loops have one
  [[nodiscard]] const Numeric& index() const { return *index_; }
  /// The condition of a loop; condition() ends it and opens the body, which sees its values.
  static Region whileLoop(Where where = Where::current());
  void condition(const Arg& holds);
  /// Operations go behind it.
  void close();
  /// As if it had never been opened, also just after its close; values made in it are gone.
  void discard();

 private:
  Region(void* op, Where where);
  void open(int part);
  void* trace_;
  void* op_;
  bool closed_ = false;
  void* condition_ = nullptr;  ///< of a loop whose body is open
  std::optional<Numeric> index_;
  Where where_;
};

/// A variable that belongs to the whole function, wherever it is made. It holds 0 at first.
std::unique_ptr<VarBase> variableOfFunction(DType type, Where where = Where::current());

/// Whether a trace runs on this thread, and whether it is in a kernel.
bool isTracing();
bool isTracingKernel();
/// Whether the value is of the trace that runs, and not of a body that has ended or was discarded.
bool isVisible(const Value& value);
/// A run-time number as a leaf of shapes and strides that are not known: also of a constant.
Int opaque(const Numeric& value, std::int64_t divisor = 1, Where where = Where::current());

}  // namespace cutwork::cute

#pragma GCC visibility pop
