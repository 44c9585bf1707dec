// Families.h -- the functions that choose handlers, declared in the namespace of this compilation.
#pragma once

#include "Op.h"

CW_SIM_BEGIN

Lifted selectInteger(const Pick& pick);
Lifted selectLogic(const Pick& pick);
Lifted selectFloating(const Pick& pick);
Lifted selectCompare(const Pick& pick);
Lifted selectConvert(const Pick& pick);
Handler selectLoad(Space space, bool wide, unsigned bytes, unsigned count, Checking checking);
Handler selectStore(Space space, bool wide, unsigned bytes, unsigned count, Checking checking);

CW_SIM_END
