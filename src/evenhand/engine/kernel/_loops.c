/* The kernel's loops over rows, compiled: one pass where arrays need ten, and no lock of Python's held.

   Every function here does what arrays do in the Python file beside it that calls it, which serves wherever
   this could not be compiled, and gives the same numbers bit for bit. No number of the methodology stands
   here: they all come in as arguments. Arrays come in as buffers without gaps; `view` refuses those of
   another length than the rows need. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define DIMENSIONS 7
#define PADDED 8 /* numbers in a row of scores: the seven and one more */
#define AHEAD 16 /* rows to ask memory for before they are needed */
#define PIECE 512 /* rows that stay in the nearest cache */
#define CHUNK 64 /* rows whose bits make one word */
#define MOST_FIELDS 16
#define MOST_WINDOW 64
#define SPREAD 0x9E3779B97F4A7C15u /* an odd number whose products lie far apart */

#if defined(__GNUC__)
#define WILL_READ(address) __builtin_prefetch(address, 0)
#define WILL_WRITE(address) __builtin_prefetch(address, 1)
#else
#define WILL_READ(address) ((void)0)
#define WILL_WRITE(address) ((void)0)
#endif

/* --- buffers ------------------------------------------------------------------------------------------ */

typedef struct {
    Py_buffer held[24];
    int count;
} Views;

/* An array of so many items of a size, or NULL with an error set. `views` holds it until `release`. */
static void *view(Views *views, PyObject *array, Py_ssize_t items, size_t size, int writable) {
    Py_buffer *buffer = &views->held[views->count];
    if (PyErr_Occurred()) return NULL;
    if (PyObject_GetBuffer(array, buffer, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) return NULL;
    views->count++;
    if (buffer->len != items * (Py_ssize_t)size) {
        PyErr_Format(PyExc_ValueError, "an array of %zd bytes came where %zd are needed", buffer->len,
                     items * (Py_ssize_t)size);
        return NULL;
    }
    return buffer->buf;
}

/* One column of an array of rows: where it begins, and how many bytes lie between two rows. */
typedef struct {
    const char *at;
    Py_ssize_t step;
} Lane;

/* A column of numbers whose kind is one of `kinds`. */
static Lane lane(Views *views, PyObject *array, Py_ssize_t rows, const char *kind, const char *kinds) {
    Py_buffer *buffer = &views->held[views->count];
    Lane none = {NULL, 0};
    if (PyErr_Occurred() || PyObject_GetBuffer(array, buffer, PyBUF_STRIDED_RO) < 0) return none;
    views->count++;
    if (strlen(kind) != 2 || !strstr(kinds, kind)) {
        PyErr_Format(PyExc_ValueError, "there are no loops for numbers of the kind %s", kind);
        return none;
    }
    if (buffer->ndim != 1 || buffer->shape[0] != rows || buffer->itemsize != kind[1] - '0') {
        PyErr_Format(PyExc_ValueError, "%zd numbers of the kind %s are needed", rows, kind);
        return none;
    }
    Lane found = {buffer->buf, buffer->strides[0]};
    return found;
}

static PyObject *release(Views *views) {
    while (views->count) PyBuffer_Release(&views->held[--views->count]);
    if (PyErr_Occurred()) return NULL;
    return Py_NewRef(Py_None);
}

#define READ(type, name, array, items) const type *name = view(&views, array, items, sizeof(type), 0)
#define WRITE(type, name, array, items) type *name = view(&views, array, items, sizeof(type), 1)

/* How many items of a size an array holds. */
static Py_ssize_t length(PyObject *array, size_t size) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE) < 0) return -1;
    Py_ssize_t items = buffer.len / (Py_ssize_t)size;
    PyBuffer_Release(&buffer);
    return items;
}

/* --- columns ------------------------------------------------------------------------------------------ */

#define WHOLE "i1 i2 i4 i8 u1 u2 u4 u8" /* a letter, and how many bytes */
#define REAL "f4 f8"

/* Runs `LOOP(type, wide)` for the type that a kind of whole number stands for. */
#define FOR_WHOLE(kind, LOOP)                                  \
    if (!strcmp(kind, "i1")) { LOOP(int8_t, int64_t) }         \
    else if (!strcmp(kind, "i2")) { LOOP(int16_t, int64_t) }   \
    else if (!strcmp(kind, "i4")) { LOOP(int32_t, int64_t) }   \
    else if (!strcmp(kind, "i8")) { LOOP(int64_t, int64_t) }   \
    else if (!strcmp(kind, "u1")) { LOOP(uint8_t, uint64_t) }  \
    else if (!strcmp(kind, "u2")) { LOOP(uint16_t, uint64_t) } \
    else if (!strcmp(kind, "u4")) { LOOP(uint32_t, uint64_t) } \
    else if (!strcmp(kind, "u8")) { LOOP(uint64_t, uint64_t) }

/* A piece of a column of whole numbers or floats as hundredths; of what is no score, `instead`, and it is not good. */
static void hundredths(const char *kind, Lane column, Py_ssize_t from, int many, int step, long long low,
                       long long high, int16_t instead, int16_t *result, uint8_t *good) {
    const char *at = column.at + from * column.step;
#define SCORE(type, wide)                                                     \
    for (int row = 0; row < many; row++) {                                    \
        type value = *(const type *)(at + row * column.step);                 \
        uint8_t fine = value >= (wide)low && value <= (wide)high;             \
        result[row] = fine ? (int16_t)((int16_t)value * (int16_t)step) : instead; \
        good[row] &= fine;                                                    \
    }
/* The float nearest to a half decides how it is rounded, since products are not exact. */
#define NEAREST(type)                                                         \
    for (int row = 0; row < many; row++) {                                    \
        type value = *(const type *)(at + row * column.step);                 \
        uint8_t fine = value >= (type)low && value <= (type)high;             \
        double below = floor((double)(fine ? value : (type)low) * step);      \
        type half = (type)((2 * below + 1) / (2 * step));                     \
        result[row] = fine ? (int16_t)((int)below + (value >= half)) : instead; \
        good[row] &= fine;                                                    \
    }
    if (!strcmp(kind, "f8")) { NEAREST(double) }
    else if (!strcmp(kind, "f4")) { NEAREST(float) }
    else FOR_WHOLE(kind, SCORE)
}

/* rows(columns, instead, dimensions, good)
   Columns of scores side by side in rows. Of each column come its kind, the array, how many hundredths one is, and
   the least and the greatest that is good. */
static PyObject *rows(PyObject *self, PyObject *args) {
    PyObject *columns_, *dimensions_, *good_;
    int instead;
    if (!PyArg_ParseTuple(args, "O!iOO", &PyTuple_Type, &columns_, &instead, &dimensions_, &good_)) return NULL;
    Py_ssize_t count = length(good_, 1), columns = PyTuple_Size(columns_);
    if (columns > PADDED) return PyErr_Format(PyExc_ValueError, "a row has room for %d columns", PADDED);
    struct { const char *kind; Lane lane; int step; long long low, high; } column[PADDED];
    Views views = {.count = 0};
    WRITE(uint8_t, good, good_, count);
    WRITE(int16_t, dimensions, dimensions_, count * PADDED);
    for (Py_ssize_t each = 0; each < columns && !PyErr_Occurred(); each++) {
        PyObject *array;
        if (PyArg_ParseTuple(PyTuple_GetItem(columns_, each), "sOiLL", &column[each].kind, &array, &column[each].step,
                             &column[each].low, &column[each].high))
            column[each].lane = lane(&views, array, count, column[each].kind, WHOLE " " REAL);
    }
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
    int16_t piece[PADDED][PIECE];
    memset(piece, 0, sizeof piece);
    for (Py_ssize_t from = 0; from < count; from += PIECE) {
        int many = count - from < PIECE ? (int)(count - from) : PIECE;
        for (Py_ssize_t each = 0; each < columns; each++)
            hundredths(column[each].kind, column[each].lane, from, many, column[each].step, column[each].low,
                       column[each].high, (int16_t)instead, piece[each], good + from);
        for (int row = 0; row < many; row++)
            for (int each = 0; each < PADDED; each++) dimensions[(from + row) * PADDED + each] = piece[each][row];
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* counts(kind, column, most, number, good)
   A column of counts from 0 to `most`; any other value is put down as none, and the row is not good. */
static PyObject *counts(PyObject *self, PyObject *args) {
    const char *kind;
    PyObject *column_, *number_, *good_;
    long long most;
    if (!PyArg_ParseTuple(args, "sOLOO", &kind, &column_, &most, &number_, &good_)) return NULL;
    Py_ssize_t rows = length(good_, 1);
    Views views = {.count = 0};
    WRITE(uint8_t, good, good_, rows);
    WRITE(int16_t, number, number_, rows);
    Lane column = lane(&views, column_, rows, kind, WHOLE);
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
#define COUNT(type, wide)                                  \
    for (Py_ssize_t row = 0; row < rows; row++) {          \
        wide value = *(const type *)(column.at + row * column.step); \
        int fine = (uint64_t)value <= (uint64_t)most;      \
        number[row] = fine ? (int16_t)value : 0;           \
        good[row] &= fine;                                 \
    }
    FOR_WHOLE(kind, COUNT)
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* codes(hashes, slots, numbers, known, result) -> (how many rows are done, how many hashes are known)
   A number for each distinct hash, in the order they come. `slots` and `numbers` are a table of those known so far,
   -1 in the empty places; it stops when half of them are taken, for the table to be made larger. */
static PyObject *codes(PyObject *self, PyObject *args) {
    PyObject *hashes_, *slots_, *numbers_, *result_;
    Py_ssize_t known;
    if (!PyArg_ParseTuple(args, "OOOnO", &hashes_, &slots_, &numbers_, &known, &result_)) return NULL;
    Py_ssize_t rows = length(result_, sizeof(int32_t)), places = length(numbers_, sizeof(int32_t)), row = 0;
    Views views = {.count = 0};
    READ(uint64_t, hashes, hashes_, rows);
    WRITE(uint64_t, slots, slots_, places);
    WRITE(int32_t, numbers, numbers_, places);
    WRITE(int32_t, result, result_, rows);
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && 2 * known < places; row++) {
        uint64_t hash = hashes[row], place = hash * SPREAD >> 20 & (uint64_t)(places - 1);
        while (numbers[place] >= 0 && slots[place] != hash) place = (place + 1) & (uint64_t)(places - 1);
        if (numbers[place] < 0) {
            slots[place] = hash;
            numbers[place] = (int32_t)known++;
        }
        result[row] = numbers[place];
    }
    Py_END_ALLOW_THREADS
    Py_XDECREF(release(&views));
    return Py_BuildValue("nn", row, known);
}

/* weigh(dimensions, deduction, bonus, units, scale, most_taken, most_given, lowest, highest,
         composite, taken, given, final)
   R2, R9, R10: the composite rounded once, half up; capped deductions, floor, capped bonuses, cap. */
static PyObject *weigh(PyObject *self, PyObject *args) {
    PyObject *dimensions_, *deduction_, *bonus_, *units_, *composite_, *taken_, *given_, *final_;
    long long scale;
    int most_taken, most_given, lowest, highest;
    if (!PyArg_ParseTuple(args, "OOOOLiiiiOOOO", &dimensions_, &deduction_, &bonus_, &units_, &scale, &most_taken,
                          &most_given, &lowest, &highest, &composite_, &taken_, &given_, &final_))
        return NULL;
    Py_ssize_t rows = length(composite_, sizeof(int16_t));
    Views views = {.count = 0};
    READ(int16_t, dimensions, dimensions_, rows * PADDED);
    READ(int32_t, deduction, deduction_, rows);
    READ(int32_t, bonus, bonus_, rows);
    READ(int64_t, units, units_, DIMENSIONS);
    WRITE(int16_t, composite, composite_, rows);
    WRITE(int16_t, taken, taken_, rows);
    WRITE(int16_t, given, given_, rows);
    WRITE(int16_t, final, final_, rows);
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
#define WEIGH(whole)                                                                 \
    for (Py_ssize_t row = 0; row < rows; row++) {                                    \
        whole weighted = (whole)scale;                                               \
        for (int each = 0; each < DIMENSIONS; each++)                                \
            weighted += (whole)dimensions[row * PADDED + each] * (whole)(2 * units[each]); \
        composite[row] = (int16_t)(weighted / (whole)(2 * scale));                   \
    }
    if (2 * scale * highest < INT32_MAX) { WEIGH(uint32_t) }
    else { WEIGH(uint64_t) }
    for (Py_ssize_t row = 0; row < rows; row++) {
        int less = deduction[row] < most_taken ? deduction[row] : most_taken;
        int more = bonus[row] < most_given ? bonus[row] : most_given;
        int after = composite[row] - less;
        int whole = (after > lowest ? after : lowest) + more;
        taken[row] = (int16_t)less;
        given[row] = (int16_t)more;
        final[row] = (int16_t)(whole < highest ? whole : highest);
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* --- order -------------------------------------------------------------------------------------------- */

/* A part of a sort key: values counted from `first`, up or down, by steps, without their last bits. All values are
   multiples of a step away, so that a product serves for a division: that with the number which, times the odd part
   of the step, gives 1 in 64 bits. */
typedef struct {
    const char *kind;
    Lane lane;
    uint64_t first, inverse, size;
    int shift;
} Field;

static int parse_field(PyObject *tuple, Views *views, Py_ssize_t rows, Field *field) {
    PyObject *values;
    long long first, step;
    unsigned long long size;
    int down;
    if (!PyArg_ParseTuple(tuple, "sOLpLiK", &field->kind, &values, &first, &down, &step, &field->shift, &size)) return 0;
    field->lane = lane(views, values, rows, field->kind, WHOLE);
    for (; step % 2 == 0; step /= 2) field->shift++;
    uint64_t inverse = 1;
    for (int round = 0; round < 6; round++) inverse *= 2 - (uint64_t)step * inverse;
    field->first = (uint64_t)first;
    field->size = size;
    field->inverse = down ? 0 - inverse : inverse;
    return !PyErr_Occurred();
}

static void extend(uint64_t *keys, Field field, Py_ssize_t from, int many) {
    const char *at = field.lane.at + from * field.lane.step;
#define EXTEND(type, wide)                                                                      \
    for (int row = 0; row < many; row++) {                                                      \
        uint64_t value = (uint64_t)(wide) * (const type *)(at + row * field.lane.step);         \
        keys[row] = keys[row] * field.size + ((value - field.first) * field.inverse >> field.shift); \
    }
    FOR_WHOLE(field.kind, EXTEND)
}

/* keys(fields, own, first, result)
   The keys of rows: their fields, the first one highest, and in the last `own` bits the row's own number, counted
   from `first`. Of each field come its kind, the values, where they begin, whether they go down, their step, how many
   bits it loses, and how many different ones there are then. */
static PyObject *keys(PyObject *self, PyObject *args) {
    PyObject *fields_, *result_;
    int own;
    unsigned long long first;
    if (!PyArg_ParseTuple(args, "O!iKO", &PyTuple_Type, &fields_, &own, &first, &result_)) return NULL;
    Py_ssize_t rows = length(result_, sizeof(uint64_t)), count = PyTuple_Size(fields_);
    if (count > MOST_FIELDS) return PyErr_Format(PyExc_ValueError, "a key has room for %d fields", MOST_FIELDS);
    Field fields[MOST_FIELDS];
    Views views = {.count = 0};
    WRITE(uint64_t, result, result_, rows);
    for (Py_ssize_t each = 0; each < count && !PyErr_Occurred(); each++)
        parse_field(PyTuple_GetItem(fields_, each), &views, rows, &fields[each]);
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t from = 0; from < rows; from += PIECE) {
        int many = rows - from < PIECE ? (int)(rows - from) : PIECE;
        uint64_t *piece = result + from;
        memset(piece, 0, (size_t)many * sizeof *piece);
        for (Py_ssize_t each = 0; each < count; each++) extend(piece, fields[each], from, many);
        for (int row = 0; row < many; row++) piece[row] = piece[row] << own | (first + (uint64_t)(from + row));
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* unpack(keys, own, start, stop, places, new)
   Of sorted keys whose last `own` bits are the row's place: the places, and where the rest of the key changes. */
static PyObject *unpack(PyObject *self, PyObject *args) {
    PyObject *keys_, *places_, *new_;
    int own;
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "OinnOO", &keys_, &own, &start, &stop, &places_, &new_)) return NULL;
    Py_ssize_t rows = length(keys_, sizeof(uint64_t));
    Views views = {.count = 0};
    READ(uint64_t, keys, keys_, rows);
    WRITE(int32_t, places, places_, rows);
    WRITE(uint8_t, new, new_, rows);
    if (!PyErr_Occurred() && (start < 0 || stop > rows)) PyErr_SetString(PyExc_ValueError, "there are no such rows");
    if (PyErr_Occurred()) return release(&views);
    uint64_t mask = ((uint64_t)1 << own) - 1;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t row = start; row < stop; row++) {
        places[row] = (int32_t)(keys[row] & mask);
        new[row] = row == 0 || keys[row] >> own != keys[row - 1] >> own;
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* ranks(places, new, groups or None, start, stop, shared, result)
   R12: rows with equal keys share a rank, and the next one counts them all; in each group they begin anew. `shared` is
   where the key of the row before `start` comes first. */
static PyObject *ranks(PyObject *self, PyObject *args) {
    PyObject *places_, *new_, *groups_, *result_;
    Py_ssize_t start, stop, shared;
    if (!PyArg_ParseTuple(args, "OOOnnnO", &places_, &new_, &groups_, &start, &stop, &shared, &result_)) return NULL;
    Py_ssize_t rows = length(places_, sizeof(int32_t));
    Views views = {.count = 0};
    READ(int32_t, places, places_, rows);
    READ(uint8_t, new, new_, rows);
    const int32_t *groups = groups_ == Py_None ? NULL : view(&views, groups_, rows, sizeof(int32_t), 0);
    WRITE(int32_t, result, result_, rows);
    if (!PyErr_Occurred() && (start < 0 || stop > rows)) PyErr_SetString(PyExc_ValueError, "there are no such rows");
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
    Py_ssize_t begin = start; /* where the group comes first; with groups, all rows come at once */
    for (Py_ssize_t row = start; row < stop; row++) {
        if (row + AHEAD < stop) WILL_WRITE(&result[places[row + AHEAD]]);
        if (groups && row && groups[places[row]] != groups[places[row - 1]]) begin = row;
        if (new[row]) shared = row;
        result[places[row]] = (int32_t)(shared - (groups ? begin : 0) + 1);
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* --- history ------------------------------------------------------------------------------------------ */

typedef struct {
    int16_t totals[PADDED]; /* the sums of the seven dimensions, and how many rows they are of */
    int32_t spreads[PADDED];
} Window;

/* slide(dimensions, places, starts, window, start, stop, found, spots)
   R13: through the rows in the order of history, from `start` to `stop` of it. Of each, what the rows of its skill
   before it come to, at most `window` of them; and where every row of the table stands in that order. `starts` are
   the places where a skill begins. */
static PyObject *slide(PyObject *self, PyObject *args) {
    PyObject *dimensions_, *places_, *starts_, *found_, *spots_;
    int window;
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "OOOinnOO", &dimensions_, &places_, &starts_, &window, &start, &stop, &found_, &spots_))
        return NULL;
    Py_ssize_t rows = length(places_, sizeof(int32_t)), skills = length(starts_, sizeof(int64_t));
    Views views = {.count = 0};
    READ(int16_t, dimensions, dimensions_, rows * PADDED);
    READ(int32_t, places, places_, rows);
    READ(int64_t, starts, starts_, skills);
    WRITE(Window, found, found_, rows);
    WRITE(int32_t, spots, spots_, rows);
    if (!PyErr_Occurred() && (start < 0 || stop > rows || window < 1 || window > MOST_WINDOW))
        PyErr_SetString(PyExc_ValueError, "there are no such rows, or no such window");
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
    int16_t kept[MOST_WINDOW][PADDED];
    int32_t sums[PADDED] = {0}, squares[PADDED] = {0};
    int n = 0, oldest = 0;
    Py_ssize_t next = 0; /* the skill that begins next */
    for (Py_ssize_t row = start > window ? start - window : 0; row < stop; row++) {
        if (row + AHEAD < stop) {
            WILL_READ(&dimensions[places[row + AHEAD] * (Py_ssize_t)PADDED]);
            WILL_WRITE(&spots[places[row + AHEAD]]);
        }
        while (next < skills && starts[next] < row) next++;
        if (next < skills && starts[next] == row) {
            n = oldest = 0;
            memset(sums, 0, sizeof sums);
            memset(squares, 0, sizeof squares);
        }
        if (row >= start) {
            Window *put = &found[row];
            for (int each = 0; each < PADDED; each++) {
                put->totals[each] = (int16_t)sums[each];
                put->spreads[each] = n * squares[each] - sums[each] * sums[each];
            }
            put->totals[PADDED - 1] = (int16_t)n;
            spots[places[row]] = (int32_t)row;
        }
        if (n == window) {
            for (int each = 0; each < PADDED; each++) {
                int32_t old = kept[oldest][each];
                sums[each] -= old;
                squares[each] -= old * old;
            }
        } else {
            n++;
        }
        const int16_t *score = dimensions + places[row] * (Py_ssize_t)PADDED;
        for (int each = 0; each < PADDED; each++) {
            int32_t now = score[each];
            kept[oldest][each] = (int16_t)now;
            sums[each] += now;
            squares[each] += now * now;
        }
        oldest = oldest + 1 == window ? 0 : oldest + 1;
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* compare(found, spots, dimensions, start, stop, point, factor, window, sizes, provisional, some, several,
           means, deviations, flags)
   R14: the rows of the table from `start` to `stop` against those before them. `means` and `deviations` have a line of
   numbers for each dimension, `flags` a line of bits; the bits of a line fill whole words. `factor` is the square of
   how many deviations are too many. Of no rows, nothing is said, and of one no deviation; `some` and `several` say
   which. */
static PyObject *compare(PyObject *self, PyObject *args) {
    PyObject *found_, *spots_, *dimensions_, *sizes_, *provisional_, *some_, *several_, *means_, *deviations_, *flags_;
    Py_ssize_t start, stop;
    int point, factor, window;
    if (!PyArg_ParseTuple(args, "OOOnniiiOOOOOOO", &found_, &spots_, &dimensions_, &start, &stop, &point, &factor, &window, &sizes_,
                          &provisional_, &some_, &several_, &means_, &deviations_, &flags_))
        return NULL;
    Py_ssize_t all = length(spots_, sizeof(int32_t)), rows = stop - start, words = (rows + CHUNK - 1) / CHUNK;
    if (start < 0 || rows < 0 || stop > all) return PyErr_Format(PyExc_ValueError, "there are no such rows");
    Views views = {.count = 0};
    READ(Window, found, found_, all);
    READ(int32_t, spots, spots_, all);
    READ(int16_t, dimensions, dimensions_, all * PADDED);
    WRITE(int64_t, sizes, sizes_, rows);
    WRITE(uint64_t, provisional, provisional_, words);
    WRITE(uint64_t, some, some_, words);
    WRITE(uint64_t, several, several_, words);
    WRITE(double, means, means_, rows * DIMENSIONS);
    WRITE(double, deviations, deviations_, rows * DIMENSIONS);
    WRITE(uint64_t, flags, flags_, words * DIMENSIONS);
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t word = 0; word < words; word++) {
        Py_ssize_t first = word * CHUNK;
        int many = rows - first < CHUNK ? (int)(rows - first) : CHUNK;
        const int16_t *scores = dimensions + (start + first) * PADDED;
        Window before[CHUNK];
        int32_t n[CHUNK], score[CHUNK], total[CHUNK], spread[CHUNK];
        double divisor[CHUNK], pairs[CHUNK];
        uint64_t in_some = 0, in_several = 0, in_provisional = 0;
        for (int row = 0; row < many; row++) {
            Py_ssize_t place = start + first + row;
            if (place + AHEAD < stop) {
                WILL_READ(&found[spots[place + AHEAD]]);
                WILL_READ((const char *)(&found[spots[place + AHEAD]] + 1) - 1); /* it may lie on two lines */
            }
            before[row] = found[spots[place]];
            n[row] = before[row].totals[PADDED - 1];
            divisor[row] = n[row] > 1 ? n[row] : 1;
            pairs[row] = n[row] > 1 ? n[row] * (n[row] - 1) : 1;
            sizes[first + row] = n[row];
            in_some |= (uint64_t)(n[row] > 0) << row;
            in_several |= (uint64_t)(n[row] > 1) << row;
            in_provisional |= (uint64_t)(n[row] > 1 && n[row] < window) << row;
        }
        some[word] = in_some;
        several[word] = in_several;
        provisional[word] = in_provisional;
        for (int each = 0; each < DIMENSIONS; each++) {
            double *mean = means + each * rows + first, *deviation = deviations + each * rows + first;
            uint8_t over[CHUNK] = {0};
            uint64_t flagged = 0;
            for (int row = 0; row < many; row++) {
                score[row] = scores[row * PADDED + each];
                total[row] = before[row].totals[each];
                spread[row] = before[row].spreads[each];
            }
            for (int row = 0; row < many; row++) mean[row] = total[row] / divisor[row] / point;
            for (int row = 0; row < many; row++) deviation[row] = sqrt(spread[row] / pairs[row]) / point;
            for (int row = 0; row < many; row++) {
                int32_t off = n[row] * score[row] - total[row];
                over[row] = (n[row] - 1) * off * off > factor * n[row] * spread[row];
            }
            for (int byte = 0; byte < CHUNK / 8; byte++) {
                uint64_t eight; /* bytes of 0 or 1; their product has their bits side by side at its top */
                memcpy(&eight, over + 8 * byte, sizeof eight);
                flagged |= (eight * 0x0102040810204080u >> 56) << 8 * byte;
            }
            flags[each * words + word] = flagged;
        }
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

/* decimals(values, result)
   Small whole numbers as the 128 bits of Arrow's decimals. */
static PyObject *decimals(PyObject *self, PyObject *args) {
    PyObject *values_, *result_;
    if (!PyArg_ParseTuple(args, "OO", &values_, &result_)) return NULL;
    Py_ssize_t rows = length(values_, sizeof(int16_t));
    Views views = {.count = 0};
    READ(int16_t, values, values_, rows);
    WRITE(int64_t, result, result_, 2 * rows);
    if (PyErr_Occurred()) return release(&views);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t row = 0; row < rows; row++) {
        result[2 * row] = values[row];
        result[2 * row + 1] = values[row] < 0 ? -1 : 0;
    }
    Py_END_ALLOW_THREADS
    return release(&views);
}

static PyMethodDef functions[] = {
    {"rows", rows, METH_VARARGS, NULL}, {"counts", counts, METH_VARARGS, NULL},
    {"codes", codes, METH_VARARGS, NULL},   {"weigh", weigh, METH_VARARGS, NULL},   {"keys", keys, METH_VARARGS, NULL},
    {"unpack", unpack, METH_VARARGS, NULL}, {"ranks", ranks, METH_VARARGS, NULL},
    {"slide", slide, METH_VARARGS, NULL},   {"compare", compare, METH_VARARGS, NULL},
    {"decimals", decimals, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_loops", .m_doc = "The kernel's loops over rows, compiled.", .m_size = 0,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__loops(void) { return PyModule_Create(&definition); }
