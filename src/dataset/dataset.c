#include "backflow/dataset.h"
