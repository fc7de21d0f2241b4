// The manifest of Intel's results (../shared/data/intel, from the repository's root).
#ifndef SUPPORT_MANIFEST_H
#define SUPPORT_MANIFEST_H

#include <jansson.h>

#define INTEL_FOLDER "../shared/data/intel/"

// The array of results, for json_decref; NULL, with a line on stderr, when it is missing: the test must then skip().
// The file says Infinity, which JSON has no word for and jansson refuses: such values are read as null.
json_t *manifest_load(void);

#endif
