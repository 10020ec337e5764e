/* backflow.h - Everything public. */
#ifndef BACKFLOW_H
#define BACKFLOW_H

#include "backflow/array.h"
#include "backflow/compare.h"
#include "backflow/context.h"
#include "backflow/dataset.h"
#include "backflow/detail.h"
#include "backflow/env.h"
#include "backflow/estimator.h"
#include "backflow/file.h"
#include "backflow/machine.h"
#include "backflow/matrix.h"
#include "backflow/memory.h"
#include "backflow/options.h"
#include "backflow/pass.h"
#include "backflow/policy.h"
#include "backflow/problem.h"
#include "backflow/report.h"
#include "backflow/rng.h"
#include "backflow/stats.h"
#include "backflow/status.h"
#include "backflow/train.h"
#include "backflow/trust.h"
#include "backflow/version.h"

#endif
