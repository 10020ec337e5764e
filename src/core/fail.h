/* fail.h - What nearly every file of the library needs: to fail, to pass failures up, to allocate.
 */
#ifndef BF_CORE_FAIL_H
#define BF_CORE_FAIL_H

#include "backflow/memory.h"
#include "backflow/status.h"

#endif
