// Error.cpp -- the three kinds of error and the exceptions they become at the library's edge.
#include "cutwork/Support/Error.h"

namespace cutwork {

struct Error::Data {
  ErrorKind kind;
  std::string message;
  SourcePlace place;
};

Error::Error(ErrorKind kind, std::string message, SourcePlace place)
    : data_(new Data{kind, std::move(message), std::move(place)}) {}
Error::Error(const Error& other) : data_(new Data(*other.data_)) {}
Error::Error(Error&& other) noexcept : data_(std::move(other.data_)) {}
Error& Error::operator=(const Error& other) {
  if (this != &other) data_ = std::make_unique<Data>(*other.data_);
  return *this;
}
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

ErrorKind Error::kind() const { return data_->kind; }
const std::string& Error::message() const { return data_->message; }
const SourcePlace& Error::place() const { return data_->place; }

Error Error::at(const SourcePlace& place) && {
  if (!data_->place.known()) data_->place = place;
  return std::move(*this);
}

Error Error::within(std::string_view prefix) && {
  data_->message.insert(0, prefix);
  return std::move(*this);
}

std::string Error::text() const {
  std::string text = data_->place.known() ? data_->place.text() + ": " : std::string();
  text += data_->message;
  if (data_->kind == ErrorKind::Internal) {
    text += " (this is a bug in Cutwork; please report it with the command and this message)";
  }
  return text;
}

void Error::raise() const {
  switch (data_->kind) {
    case ErrorKind::User: throw UserError(*this);
    case ErrorKind::Device: throw DeviceError(*this);
    case ErrorKind::Internal: break;
  }
  throw InternalError(*this);
}

Error userError(std::string message, SourcePlace place) {
  return {ErrorKind::User, std::move(message), std::move(place)};
}
Error internalError(std::string message, SourcePlace place) {
  return {ErrorKind::Internal, std::move(message), std::move(place)};
}
Error deviceError(std::string message, SourcePlace place) {
  return {ErrorKind::Device, std::move(message), std::move(place)};
}

Exception::Exception(Error error) : error_(std::move(error)), text_(error_.text()) {}

}  // namespace cutwork
