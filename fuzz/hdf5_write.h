/* hdf5_write.h - Arrays of every type, shape and storage, written by libhdf5 as bytes ask for them.
 *
 * A part of a file is an array that a log should have, and four bytes that say how it is written:
 *
 *     type     which of `types`: numbers first, then what is no number
 *     storage  contiguous, compact, in chunks, packed, elsewhere, or never written
 *     lie      what stands there in place of the array, or how its shape is wrong; 0: nothing
 *     values   0: those that belong there; otherwise NaN, infinities, large ones
 *
 * Bytes that are missing are 0, so an empty description is the plainest file. */
#ifndef BF_FUZZ_HDF5_WRITE_H
#define BF_FUZZ_HDF5_WRITE_H

#include <hdf5.h>

#include "fuzz.h"

enum { RANKS = 5, MOST_WRITTEN = 4096 };

typedef struct source {
    const uint8_t *at, *end;
} source;

static inline unsigned take(source *from) {
    return from->at < from->end ? *from->at++ : 0;
}

typedef struct part {
    const char *name;
    int rank;
    hsize_t shape[RANKS];
    unsigned choices; /* its values are 0, ..., choices - 1 */
} part;

/* The value that belongs at place i of a part. Small and whole: every type of number holds it. */
static inline double right_value(const part *p, hsize_t i) {
    return (double)(i * 5 % 7 % p->choices);
}

/* ---- Types */

static inline hid_t half(void) {
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    MUST(H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type, 2) >= 0 &&
         H5Tset_ebias(type, 15) >= 0);
    return type;
}

static inline hid_t integer_of(size_t size, size_t bits, size_t offset) {
    hid_t type = H5Tcopy(H5T_STD_I16LE);
    MUST(H5Tset_size(type, size) >= 0 && H5Tset_precision(type, bits) >= 0 &&
         H5Tset_offset(type, offset) >= 0);
    return type;
}

static inline hid_t text_of(size_t size, H5T_str_t padding, H5T_cset_t letters) {
    hid_t type = H5Tcopy(H5T_C_S1);
    MUST(H5Tset_size(type, size) >= 0 && H5Tset_strpad(type, padding) >= 0 &&
         H5Tset_cset(type, letters) >= 0);
    return type;
}

static inline hid_t enum_of(hid_t base) {
    hid_t type = H5Tenum_create(base);
    static const char *const names[] = {"FALSE", "TRUE", "2", "3"};
    for (int32_t k = 0; k < 4; k++) { /* little-endian: the first byte is the value */
        MUST(H5Tenum_insert(type, names[k], &k) >= 0);
    }
    return type;
}

static inline hid_t record(void) {
    hid_t type = H5Tcreate(H5T_COMPOUND, 16);
    MUST(H5Tinsert(type, "r", 0, H5T_IEEE_F64LE) >= 0 &&
         H5Tinsert(type, "i", 8, H5T_IEEE_F64LE) >= 0);
    return type;
}

enum { PLAIN_NUMBERS = 12, NUMBERS = 15, PLAIN_OTHERS = 4, TYPES = NUMBERS + PLAIN_OTHERS + 9 };

/* The caller closes it. */
static inline hid_t type_of(unsigned which) {
    const hid_t numbers[PLAIN_NUMBERS] = {H5T_IEEE_F64LE,     H5T_IEEE_F32LE, H5T_IEEE_F64BE,
                                          H5T_NATIVE_LDOUBLE, H5T_STD_I8LE,   H5T_STD_I16BE,
                                          H5T_STD_I32LE,      H5T_STD_I64LE,  H5T_STD_U8LE,
                                          H5T_STD_U16LE,      H5T_STD_U32BE,  H5T_STD_U64LE};
    const hid_t others[PLAIN_OTHERS] = {H5T_STD_REF_OBJ, H5T_STD_REF_DSETREG, H5T_STD_B8LE,
                                        H5T_UNIX_D32LE};
    static const hsize_t two = 2;
    if (which < PLAIN_NUMBERS)
        return H5Tcopy(numbers[which]);
    if (which >= NUMBERS && which < NUMBERS + PLAIN_OTHERS)
        return H5Tcopy(others[which - NUMBERS]);
    switch (which < NUMBERS ? (int)which - NUMBERS : (int)which - NUMBERS - PLAIN_OTHERS) {
    case -3:
        return half();
    case -2:
        return integer_of(4, 12, 7);
    case -1:
        return enum_of(H5T_STD_I8LE);
    case 0:
        return enum_of(H5T_STD_I32LE);
    case 1:
        return integer_of(17, 136, 0);
    case 2:
        return text_of(8, H5T_STR_NULLTERM, H5T_CSET_ASCII);
    case 3:
        return text_of(1, H5T_STR_NULLPAD, H5T_CSET_UTF8);
    case 4:
        return text_of(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8);
    case 5:
        return record();
    case 6:
        return H5Tarray_create2(H5T_IEEE_F64LE, 1, &two);
    case 7:
        return H5Tvlen_create(H5T_STD_U8LE);
    default:
        return H5Tcreate(H5T_OPAQUE, 3);
    }
}

/* ---- Storage */

enum {
    CONTIGUOUS,
    COMPACT,
    CHUNKED,
    GROWING,
    PACKED,
    SHUFFLED,
    SUMMED,
    READABLE, /* storages from here on are refused, and nothing is written to them */
    UNKNOWN = READABLE,
    ELSEWHERE,
    VIRTUAL,
    NEVER,
    FILLED,
    STORAGES
};

/* The size of chunks, in rows of the array and whole otherwise, but for huge arrays. */
static inline void set_chunks(hid_t how, const part *p, unsigned rows) {
    hsize_t chunk[RANKS];
    for (int d = 0; d < p->rank; d++)
        chunk[d] = p->shape[d] > 0 && p->shape[d] <= 64 ? p->shape[d] : 1;
    chunk[0] = rows && rows < chunk[0] ? rows : chunk[0];
    MUST(H5Pset_chunk(how, p->rank, chunk) >= 0);
}

/* libhdf5 counts with a sign, and 2^63 numbers are a space that it makes. */
static inline hsize_t numbers_in(hid_t space) {
    return (hsize_t)H5Sget_simple_extent_npoints(space);
}

/* Says how an array is stored. False: libhdf5 has no such storage for it, or not so much room. */
static inline bool set_storage(hid_t how, unsigned storage, const part *p, hid_t space,
                               unsigned rows) {
    bool in_full = storage == CONTIGUOUS || storage == COMPACT || storage == FILLED;
    if (in_full && numbers_in(space) > MOST_WRITTEN)
        return false;
    if (storage == CONTIGUOUS || storage == NEVER)
        return true;
    if (storage == COMPACT)
        return H5Pset_layout(how, H5D_COMPACT) >= 0;
    if (storage == ELSEWHERE)
        return H5Pset_external(how, "not-there", 0, H5F_UNLIMITED) >= 0;
    if (p->rank == 0)
        return false;
    if (storage == VIRTUAL)
        return H5Pset_virtual(how, space, "not-there", "x", space) >= 0;
    set_chunks(how, p, rows);
    switch (storage) {
    case PACKED:
        return H5Pset_deflate(how, 1) >= 0;
    case SHUFFLED:
        return H5Pset_shuffle(how) >= 0 && H5Pset_deflate(how, 9) >= 0;
    case SUMMED:
        return H5Pset_fletcher32(how) >= 0;
    case UNKNOWN:
        return H5Pset_filter(how, 32000, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0;
    case FILLED:
        return H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0;
    default:
        return true;
    }
}

/* ---- Values */

static inline double value_of(const part *p, unsigned values, hsize_t i) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, -1, 0.5, 1e300, -1e300, 4294967296.0};
    size_t k = (values >> 4) % (sizeof odd / sizeof *odd);
    return values % 16 != 0 && (values % 16 == 15 || i % 16 == values % 16) ? odd[k]
                                                                            : right_value(p, i);
}

/* Writes as much of an array as there is room for: all of a small one, one number of a huge one. */
static inline void write_values(hid_t array, hid_t space, hid_t type, unsigned which, const part *p,
                                unsigned values) {
    static union {
        double numbers[MOST_WRITTEN];
        char bytes[MOST_WRITTEN * 32];
    } buffer;
    hsize_t count = numbers_in(space);
    hid_t memory = H5S_ALL, file = H5S_ALL;
    if (count == 0)
        return;
    if (count > MOST_WRITTEN) {
        const hsize_t first[RANKS] = {0}, one = 1;
        count = 1;
        memory = H5Screate_simple(1, &one, NULL);
        MUST(H5Sselect_elements(space, H5S_SELECT_SET, 1, first) >= 0);
        file = space;
    }
    memset(&buffer, 0, sizeof buffer);
    bool raw = which >= NUMBERS - 1; /* libhdf5 makes none of these of numbers */
    for (hsize_t i = 0; i < count; i++)
        if (!raw)
            buffer.numbers[i] = value_of(p, values, i);
        else if (which == NUMBERS - 1)
            buffer.bytes[i] = (char)right_value(p, i);
    H5Dwrite(array, raw ? type : H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, &buffer);
    if (memory != H5S_ALL)
        H5Sclose(memory);
}

/* ---- Parts */

enum {
    TRUTH,
    MISSING,
    SOFT,
    DANGLING,
    EXTERNAL,
    HARD,
    CIRCLE,
    GROUP,
    TYPE,
    SCALAR,
    NOTHING,
    DEEPER,
    FLATTER,
    LONGER,
    SHORTER,
    WIDER,
    HUGE_ROWS,
    HUGE_COUNT,
    LIES
};

/* Puts something else at a part's name. False: the lie is about the shape. */
static inline bool lie_about_place(hid_t in, const part *p, unsigned lie) {
    hid_t id;
    switch (lie) {
    case MISSING:
        return true;
    case SOFT:
        return H5Lcreate_soft("/rewards", in, p->name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    case DANGLING:
        return H5Lcreate_soft("nowhere", in, p->name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    case EXTERNAL:
        return H5Lcreate_external("/not-there", "/x", in, p->name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    case HARD: /* the first part of the group, or nothing */
        H5Lcreate_hard(in, "observations", in, p->name, H5P_DEFAULT, H5P_DEFAULT);
        return true;
    case CIRCLE:
        return H5Lcreate_hard(in, ".", in, p->name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    case GROUP:
        id = H5Gcreate2(in, p->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        MUST(id >= 0);
        H5Gclose(id);
        return true;
    case TYPE:
        id = H5Tcopy(H5T_IEEE_F64LE);
        MUST(H5Tcommit2(in, p->name, id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
        H5Tclose(id);
        return true;
    default:
        return false;
    }
}

static inline void lie_about_shape(part *p, unsigned lie, unsigned by) {
    switch (lie) {
    case DEEPER:
        p->shape[p->rank++] = 1 + by % 3;
        break;
    case FLATTER:
        p->rank -= p->rank > 1;
        break;
    case LONGER:
        p->shape[0] += 1 + by;
        break;
    case SHORTER:
        p->shape[0] -= p->shape[0] < 1 + by ? p->shape[0] : 1 + by;
        break;
    case WIDER:
        p->shape[p->rank - 1] = by;
        break;
    case HUGE_ROWS:
        p->shape[0] = (hsize_t)1 << by % 62;
        break;
    case HUGE_COUNT:
        p->shape[p->rank - 1] = (hsize_t)1 << by % 62;
        break;
    default:
        break;
    }
}

/* Huge arrays may grow as well: libhdf5 keeps lists of chunks in full for those that may not. */
static inline hid_t space_of(const part *p, unsigned lie, bool growing) {
    hsize_t most[RANKS];
    growing = growing || lie == HUGE_ROWS || lie == HUGE_COUNT;
    for (int d = 0; d < p->rank; d++)
        most[d] = growing ? H5S_UNLIMITED : p->shape[d];
    return lie == SCALAR    ? H5Screate(H5S_SCALAR)
           : lie == NOTHING ? H5Screate(H5S_NULL)
                            : H5Screate_simple(p->rank, p->shape, most);
}

/* What was written: an array of numbers with its own shape and values that can be read, the same
 * with rows too many or too few, or anything else. */
typedef enum kind_of_part { HONEST, OF_WRONG_LENGTH, ODD } kind_of_part;

/* Writes a part as four bytes say, or five if a lie has a size. */
static inline kind_of_part write_part(hid_t in, const part *whole, source *from) {
    part p = *whole;
    unsigned type_byte = take(from) % TYPES, storage = take(from), rows = storage / STORAGES;
    unsigned lie = take(from) % LIES, values = take(from);
    storage %= STORAGES;
    if (lie_about_place(in, &p, lie))
        return ODD;
    if (lie >= DEEPER)
        lie_about_shape(&p, lie, take(from));
    if (lie == SCALAR || lie == NOTHING)
        p.rank = 0;
    hid_t space = space_of(&p, lie, storage == GROWING);
    hid_t type = type_of(type_byte), how = H5Pcreate(H5P_DATASET_CREATE), array = -1;
    if (space >= 0) { /* more numbers than can be counted have no space */
        H5Pset_obj_track_times(how, false);
        bool stored = set_storage(how, storage, &p, space, rows);
        if (stored)
            array = H5Dcreate2(in, p.name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
        if (array >= 0 && storage < READABLE)
            write_values(array, space, type, type_byte, &p, values);
        H5Sclose(space);
    }
    H5Tclose(type);
    H5Pclose(how);
    if (array >= 0)
        H5Dclose(array);
    if (array < 0 || type_byte >= NUMBERS || storage >= READABLE || values % 16 != 0)
        return ODD;
    return lie == TRUTH ? HONEST : lie == LONGER || lie == SHORTER ? OF_WRONG_LENGTH : ODD;
}

/* ---- Files */

/* `form` chooses among the forms that libhdf5 gives to one and the same content. The file is made
 * in memory and written when it is closed. */
static inline hid_t new_file(const char *path, unsigned form) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    MUST(H5Pset_fapl_core(access, 4096, true) >= 0);
    MUST(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0);
    MUST(H5Pset_obj_track_times(create, false) >= 0);
    if (form & 1)
        MUST(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    if (form & 2)
        MUST(H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >=
             0);
    if (form & 4)
        MUST(H5Pset_file_space_strategy(create, H5F_FSPACE_STRATEGY_PAGE, false, 1) >= 0 &&
             H5Pset_file_space_page_size(create, 512) >= 0);
    if (form & 8)
        MUST(H5Pset_userblock(create, 512) >= 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    MUST(file >= 0);
    H5Pclose(access);
    H5Pclose(create);
    return file;
}

#endif
