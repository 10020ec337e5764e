#include "backflow/policy.h"
