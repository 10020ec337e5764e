/* hdf5.c - Arrays of numbers in an HDF5 file, by libhdf5.
 *
 * libhdf5 is loaded when the first such file is opened, not linked. It brings thirty other
 * libraries with it, which would more than double the time that the tool takes to start, and
 * programs that link the library need it only if they read HDF5. Its headers say how to call it,
 * so the version that is loaded has to be the version that was compiled for.
 *
 * The library is one per process, with settings of its own. We leave them as we find them: errors
 * are told to us and not to standard error, while a call of ours runs; files are opened with
 * property lists of their own, from memory unless ranges of a large one are wanted. A build of it
 * that is not made for threads is called
 * by one thread at a time of ours; that lock is process-wide state, because the library is.
 *
 * H5F_CLOSE_STRONG closes every object of a file with it. So an early return loses nothing, and
 * only what belongs to no file (spaces, types, property lists) is closed by hand. */
#include "format/hdf5.h"

#include <dlfcn.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"

#define RATIO   1100  /* what a file may claim, of its own size: DEFLATE cannot reach 1033 */
#define BLOCK   65536 /* numbers that are read at a time */
#define DEPTH   256   /* the length of a name within a file */
#define DIMS    BF__NPY_DIMS
#define NOTHING (-1)

typedef struct functions {
#define BF_HDF5(name) __typeof__(&name) name;
#include "format/hdf5.def"
#undef BF_HDF5
    const hid_t *file_access, *native_double;
} functions;

struct bf__hdf5 {
    const char *path;
    bf__bytes bytes;
    functions f;
    hid_t id; /* NOTHING: closed */
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* What a call of ours keeps while it runs. */
typedef struct visit {
    const functions *f;
    H5E_auto2_t report;
    void *reports_to;
} visit;

static visit enter(const functions *f) {
    visit v = {.f = f};
    pthread_mutex_lock(&one_at_a_time);
    f->H5Eget_auto2(H5E_DEFAULT, &v.report, &v.reports_to);
    f->H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return v;
}

static bf_status leave(const visit *v, bf_status status) {
    v->f->H5Eset_auto2(H5E_DEFAULT, v->report, v->reports_to);
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

/* ---- Loading */

/* Names of functions may be macros that choose a version: TEXT expands them first. */
#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

static bf_status load(functions *f, const char *path, bf_error *err) {
    void *library = dlopen(BF_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return bf_fail(err, BF_EABSENT,
                       "%s: an HDF5 file, which is read by %s (Debian: libhdf5-dev): %s", path,
                       BF_HDF5_LIBRARY, dlerror());
    const char *missing = NULL;
    struct {
        const char *name;
        void *at;
    } wanted[] = {
#define BF_HDF5(name) {TEXT(name), &f->name},
#include "format/hdf5.def"
#undef BF_HDF5
        {"H5P_CLS_FILE_ACCESS_ID_g", &f->file_access},
        {"H5T_NATIVE_DOUBLE_g", &f->native_double},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        void *found = dlsym(library, wanted[k].name);
        memcpy(wanted[k].at, &found, sizeof found); /* C has no cast from data to functions */
        if (!found)
            missing = wanted[k].name;
    }
    dlclose(library); /* it stays loaded */
    if (missing)
        return bf_fail(err, BF_EABSENT, "%s: %s has no function %s", path, BF_HDF5_LIBRARY,
                       missing);
    unsigned major = 0, minor = 0, release = 0;
    f->H5get_libversion(&major, &minor, &release);
    if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
        return bf_fail(err, BF_EABSENT, "%s: %s is version %u.%u; %d.%d is needed", path,
                       BF_HDF5_LIBRARY, major, minor, H5_VERS_MAJOR, H5_VERS_MINOR);
    if (f->H5open() < 0)
        return bf_fail(err, BF_EABSENT, "%s: %s does not start", path, BF_HDF5_LIBRARY);
    return BF_OK;
}

/* ---- The file. The library would copy its bytes three times; it is told to use ours instead. */

static void *image_malloc(size_t size, H5FD_file_image_op_t operation, void *ours) {
    (void)size;
    (void)operation;
    return ours;
}

static void *image_memcpy(void *to, const void *from, size_t size, H5FD_file_image_op_t operation,
                          void *ours) {
    (void)from;
    (void)size;
    (void)operation;
    return to == ours ? to : NULL;
}

static void *image_realloc(void *at, size_t size, H5FD_file_image_op_t operation, void *ours) {
    (void)at;
    (void)size;
    (void)operation;
    (void)ours;
    return NULL; /* a file that is only read does not grow */
}

static herr_t image_free(void *at, H5FD_file_image_op_t operation, void *ours) {
    (void)operation;
    return at == ours ? 0 : -1;
}

static void *same(void *ours) {
    return ours;
}

static herr_t keep(void *ours) {
    (void)ours;
    return 0;
}

static hid_t open_image(const functions *f, const bf__bytes *bytes) {
    void *ours = (void *)(uintptr_t)bytes->data;
    H5FD_file_image_callbacks_t callbacks = {image_malloc, image_memcpy, image_realloc, image_free,
                                             same,         keep,         ours};
    char name[32]; /* files of one name are one file to the library */
    hid_t access = f->H5Pcreate(*f->file_access), id = NOTHING;
    snprintf(name, sizeof name, "memory %p", ours);
    if (access >= 0 && f->H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
        f->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        f->H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
        f->H5Pset_file_image(access, ours, bytes->size) >= 0)
        id = f->H5Fopen(name, 0, access); /* 0: H5F_ACC_RDONLY, whose macro calls the library */
    if (access >= 0)
        f->H5Pclose(access);
    return id;
}

/* A file on disk. It is only read, so that nobody has to be locked out. */
static hid_t open_path(const functions *f, const char *path) {
    hid_t access = f->H5Pcreate(*f->file_access), id = NOTHING;
    if (access >= 0 && f->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        f->H5Pset_file_locking(access, false, true) >= 0)
        id = f->H5Fopen(path, 0, access);
    if (access >= 0)
        f->H5Pclose(access);
    return id;
}

bool bf__hdf5_claims(const unsigned char *head, size_t length) {
    return length >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

bf_status bf__hdf5_open(bf__hdf5 **out, const char *path, const bf__bytes *bytes, bf_arena *arena,
                        bf_error *err) {
    bf__hdf5 *file;
    BF_ALLOC(file, arena, 1, err);
    *file = (bf__hdf5){.path = path, .bytes = *bytes, .id = NOTHING};
    *out = file;
    BF_TRY(load(&file->f, path, err));
    visit v = enter(&file->f);
    file->id = bytes->data ? open_image(&file->f, bytes) : open_path(&file->f, path);
    if (file->id < 0)
        return leave(&v, bf_fail(err, BF_EFORMAT,
                                 "%s: cannot be read as HDF5: the file is damaged or was cut short",
                                 path));
    return leave(&v, BF_OK);
}

void bf__hdf5_close(bf__hdf5 *file) {
    if (!file || file->id < 0)
        return;
    visit v = enter(&file->f);
    file->f.H5Fclose(file->id);
    file->id = NOTHING;
    leave(&v, BF_OK);
}

/* ---- What is in it */

static bf_status damaged(const bf__hdf5 *file, const char *place, bf_error *err) {
    return bf_fail(err, BF_EFORMAT, "%s: %s: cannot be read: the file is damaged", file->path,
                   place);
}

/* A stranger's name, for messages. */
static void show(char *text) {
    for (char *c = text; *c; c++)
        *c = (char)((unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
}

static bf_status list_names(const char ***out, int64_t *count, bf__hdf5 *file, bf_arena *arena,
                            bf_error *err) {
    const functions *f = &file->f;
    H5G_info_t about;
    *count = 0;
    if (f->H5Gget_info(file->id, &about) < 0 || about.nlinks > file->bytes.size)
        return damaged(file, "its list of names", err);
    BF_ALLOC(*out, arena, (int64_t)about.nlinks, err);
    for (hsize_t k = 0; k < about.nlinks; k++) {
        char text[DEPTH], *name;
        ssize_t length = f->H5Lget_name_by_idx(file->id, ".", H5_INDEX_NAME, H5_ITER_INC, k, text,
                                               sizeof text, H5P_DEFAULT);
        if (length < 0)
            return damaged(file, "its list of names", err);
        show(text);
        BF_ALLOC(name, arena, (int64_t)strlen(text) + 1, err);
        strcpy(name, text);
        (*out)[(*count)++] = name;
    }
    return BF_OK;
}

bf_status bf__hdf5_names(const char ***out, int64_t *count, bf__hdf5 *file, bf_arena *arena,
                         bf_error *err) {
    visit v = enter(&file->f);
    return leave(&v, list_names(out, count, file, arena, err));
}

/* Opens what stands at `place`, name by name, so that no link leads anywhere else. *out is NOTHING
 * if there is nothing of that name. */
static bf_status walk(hid_t *out, bf__hdf5 *file, const char *place, bf_error *err) {
    const functions *f = &file->f;
    hid_t here = file->id;
    *out = NOTHING;
    while (*place) {
        char name[DEPTH];
        H5L_info_t link;
        const char *rest = strchr(place, '/');
        size_t length = rest ? (size_t)(rest - place) : strlen(place);
        if (length == 0 || length >= sizeof name)
            return bf_fail(err, BF_EFORMAT, "%s: '%.40s': not a name that can be read", file->path,
                           place);
        memcpy(name, place, length);
        name[length] = '\0';
        if (f->H5Lget_info(here, name, &link, H5P_DEFAULT) < 0)
            return BF_OK;
        show(name);
        if (link.type != H5L_TYPE_HARD)
            return bf_fail(err, BF_EFORMAT,
                           "%s: %s: a link to another place; only what the file holds under this "
                           "very name is read",
                           file->path, name);
        memcpy(name, place, length);
        hid_t next = f->H5Oopen(here, name, H5P_DEFAULT);
        if (here != file->id)
            f->H5Oclose(here);
        if (next < 0)
            return damaged(file, place, err);
        here = next;
        place += length + (rest != NULL);
    }
    *out = here;
    return BF_OK;
}

static bf_status look(bf__hdf5_kind *out, bf__hdf5 *file, const char *place, bf_error *err) {
    hid_t id;
    BF_TRY(walk(&id, file, place, err));
    *out = BF__HDF5_NOTHING;
    if (id < 0)
        return BF_OK;
    H5I_type_t type = file->f.H5Iget_type(id);
    file->f.H5Oclose(id);
    if (type == H5I_DATASET)
        *out = BF__HDF5_ARRAY;
    else if (type == H5I_GROUP)
        *out = BF__HDF5_GROUP;
    return BF_OK;
}

bf_status bf__hdf5_look(bf__hdf5_kind *out, bf__hdf5 *file, const char *place, bf_error *err) {
    visit v = enter(&file->f);
    return leave(&v, look(out, file, place, err));
}

/* ---- Arrays */

static bf_status take_type(bf__hdf5_array *a, bf__hdf5 *file, bf_error *err) {
    const functions *f = &file->f;
    hid_t type = f->H5Dget_type(a->id);
    if (type < 0)
        return damaged(file, a->place, err);
    H5T_class_t class = f->H5Tget_class(type);
    size_t size = f->H5Tget_size(type);
    bool is_signed = class == H5T_INTEGER && f->H5Tget_sign(type) != H5T_SGN_NONE;
    f->H5Tclose(type);
    const char *what = class == H5T_STRING      ? "text"
                       : class == H5T_COMPOUND  ? "records (or complex numbers)"
                       : class == H5T_VLEN      ? "lists of different lengths (packed images?)"
                       : class == H5T_REFERENCE ? "references"
                       : class == H5T_ARRAY     ? "arrays"
                                                : "values of another kind";
    bool number = class == H5T_INTEGER || class == H5T_FLOAT || (class == H5T_ENUM && size == 1);
    if (!number || size < 1 || size > 16)
        return bf_fail(err, BF_EFORMAT, "%s: %s: holds %s where numbers are needed", file->path,
                       a->place, what);
    a->npy.kind = (char)(class == H5T_FLOAT  ? 'f'
                         : class == H5T_ENUM ? 'b'
                         : is_signed         ? 'i'
                                             : 'u');
    a->npy.size = (int)size;
    return BF_OK;
}

static bf_status take_shape(bf__hdf5_array *a, bf__hdf5 *file, bf_error *err) {
    const functions *f = &file->f;
    hsize_t shape[H5S_MAX_RANK] = {0};
    hid_t space = f->H5Dget_space(a->id);
    if (space < 0)
        return damaged(file, a->place, err);
    bool simple = f->H5Sget_simple_extent_type(space) == H5S_SIMPLE;
    int dims = simple ? f->H5Sget_simple_extent_ndims(space) : 0;
    bool known = dims >= 1 && dims <= DIMS && f->H5Sget_simple_extent_dims(space, shape, NULL) >= 0;
    f->H5Sclose(space);
    if (!known)
        return bf_fail(err, BF_EFORMAT, "%s: %s: %d dimensions; an array of 1 to %d is needed",
                       file->path, a->place, dims < 0 ? 0 : dims, DIMS);
    a->npy.dims = dims;
    a->npy.count = 1;
    for (int d = 0; d < dims; d++) {
        a->npy.shape[d] = (int64_t)shape[d];
        if (shape[d] > INT64_MAX / 16 ||
            __builtin_mul_overflow(a->npy.count, a->npy.shape[d], &a->npy.count) ||
            a->npy.count > INT64_MAX / 16)
            return bf_fail(err, BF_EFORMAT, "%s: %s: claims more numbers than any file holds",
                           file->path, a->place);
    }
    return BF_OK;
}

/* Where the numbers lie, and how they are packed. */
static bf_status check_storage(bf__hdf5_array *a, bf__hdf5 *file, hid_t how, bf_error *err) {
    const functions *f = &file->f;
    H5D_layout_t layout = f->H5Pget_layout(how);
    if (layout == H5D_VIRTUAL || f->H5Pget_external_count(how) != 0)
        return bf_fail(err, BF_EFORMAT,
                       "%s: %s: its numbers are in another file; only what the file holds itself "
                       "is read",
                       file->path, a->place);
    for (int k = 0; k < f->H5Pget_nfilters(how); k++) {
        unsigned flags;
        size_t values = 0;
        char name[64] = "";
        H5Z_filter_t filter =
            f->H5Pget_filter2(how, (unsigned)k, &flags, &values, NULL, sizeof name, name, NULL);
        show(name);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
            filter != H5Z_FILTER_FLETCHER32)
            return bf_fail(err, BF_EFORMAT,
                           "%s: %s: packed by filter %d (%s), which is not read here; 'h5repack -f "
                           "GZIP=4 OLD NEW' packs it with gzip",
                           file->path, a->place, (int)filter, *name ? name : "no name");
    }
    hsize_t stored = f->H5Dget_storage_size(a->id), size = file->bytes.size, most = size;
    hsize_t claimed = (hsize_t)a->npy.count * (hsize_t)a->npy.size, chunk = (hsize_t)a->npy.size;
    if (layout == H5D_CHUNKED) {
        hsize_t shape[H5S_MAX_RANK] = {0};
        if (f->H5Pget_chunk(how, H5S_MAX_RANK, shape) != a->npy.dims)
            return damaged(file, a->place, err);
        a->block = (int64_t)shape[0];
        for (int d = 0; d < a->npy.dims; d++)
            if (shape[d] == 0 || __builtin_mul_overflow(chunk, shape[d], &chunk))
                return damaged(file, a->place, err);
        most = size > UINT64_MAX / RATIO ? UINT64_MAX : RATIO * size;
        stored = stored > UINT64_MAX / RATIO ? UINT64_MAX : RATIO * stored;
    }
    if (stored == 0)
        return bf_fail(err, BF_EFORMAT, "%s: %s: none of its numbers were written", file->path,
                       a->place);
    if (claimed > stored || claimed > most || chunk > most)
        return bf_fail(err, BF_EFORMAT,
                       "%s: %s: claims %llu bytes, more than the file of %zu bytes holds of it",
                       file->path, a->place,
                       (unsigned long long)(chunk > claimed ? chunk : claimed), file->bytes.size);
    return BF_OK;
}

static bf_status open_array(bf__hdf5_array *out, bf__hdf5 *file, const char *place, bf_error *err) {
    const functions *f = &file->f;
    hid_t id;
    *out = (bf__hdf5_array){.id = NOTHING, .place = place, .block = 1};
    BF_TRY(walk(&id, file, place, err));
    if (id < 0 || f->H5Iget_type(id) != H5I_DATASET)
        return bf_fail(err, BF_EDATA, "%s: %s: %s", file->path, place,
                       id < 0 ? "is not there" : "is a group, where an array is needed");
    out->id = id;
    BF_TRY(take_type(out, file, err));
    BF_TRY(take_shape(out, file, err));
    hid_t how = f->H5Dget_create_plist(id);
    if (how < 0)
        return damaged(file, place, err);
    bf_status status = out->npy.count ? check_storage(out, file, how, err) : BF_OK;
    f->H5Pclose(how);
    int64_t width = out->npy.shape[0] ? out->npy.count / out->npy.shape[0] : 1;
    if (width > 0 && out->block < BLOCK / width) /* whole chunks, several of them if small */
        out->block *= BLOCK / width / out->block + 1;
    return status;
}

bf_status bf__hdf5_array_open(bf__hdf5_array *out, bf__hdf5 *file, const char *place,
                              bf_error *err) {
    visit v = enter(&file->f);
    return leave(&v, open_array(out, file, place, err));
}

void bf__hdf5_array_close(bf__hdf5 *file, bf__hdf5_array *array) {
    if (array->id < 0)
        return;
    visit v = enter(&file->f);
    file->f.H5Oclose(array->id);
    array->id = NOTHING;
    leave(&v, BF_OK);
}

bf_status bf__hdf5_read(bf__hdf5 *file, const bf__hdf5_array *array, int64_t first, int64_t rows,
                        double *out, bf_error *err) {
    const functions *f = &file->f;
    hsize_t start[DIMS] = {(hsize_t)first}, count[DIMS];
    for (int d = 0; d < array->npy.dims; d++)
        count[d] = (hsize_t)(d ? array->npy.shape[d] : rows);
    visit v = enter(f);
    hid_t all = f->H5Dget_space(array->id);
    hid_t some = f->H5Screate_simple(array->npy.dims, count, NULL);
    bool good = all >= 0 && some >= 0 &&
                f->H5Sselect_hyperslab(all, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                f->H5Dread(array->id, *f->native_double, some, all, H5P_DEFAULT, out) >= 0;
    if (some >= 0)
        f->H5Sclose(some);
    if (all >= 0)
        f->H5Sclose(all);
    return leave(&v, good ? BF_OK : damaged(file, array->place, err));
}
