/* timestamp.c - Points in time as text: ISO 8601 with dashes and colons. */
#include "format/timestamp.h"

#include <stdint.h>

typedef struct cursor {
    const char *at, *end;
} cursor;

/* Reads exactly `digits` digits, and a number in [least, most]. */
static bool take_number(cursor *c, int digits, int least, int most, int *out) {
    int value = 0;
    for (int k = 0; k < digits; k++, c->at++) {
        if (c->at == c->end || *c->at < '0' || *c->at > '9')
            return false;
        value = 10 * value + (*c->at - '0');
    }
    *out = value;
    return value >= least && value <= most;
}

static bool take_letter(cursor *c, char letter) {
    if (c->at == c->end || *c->at != letter)
        return false;
    c->at++;
    return true;
}

/* Days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the day of
 * the leap is the last one. */
static int64_t days_of(int year, int month, int day) {
    int64_t y = month > 2 ? year : year - 1;
    int64_t m = month > 2 ? month - 3 : month + 9;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static int days_in(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* hh:mm, hh:mm:ss or hh:mm:ss.fff. The second 60 is one that was put in. */
static bool take_clock(cursor *c, double *seconds) {
    int hour, minute, second = 0;
    double fraction = 0;
    if (!take_number(c, 2, 0, 24, &hour) || !take_letter(c, ':') ||
        !take_number(c, 2, 0, 59, &minute))
        return false;
    if (take_letter(c, ':')) {
        if (!take_number(c, 2, 0, 60, &second))
            return false;
        if (take_letter(c, '.') || take_letter(c, ',')) {
            const char *first = c->at;
            for (double unit = 0.1; c->at < c->end && *c->at >= '0' && *c->at <= '9'; unit /= 10)
                fraction += unit * (*c->at++ - '0');
            if (c->at == first)
                return false;
        }
    }
    *seconds = 3600.0 * hour + 60.0 * minute + second + fraction;
    return *seconds <= 86400;
}

/* Z, +hh, +hhmm or +hh:mm; nothing is UTC. */
static bool take_zone(cursor *c, double *seconds) {
    int hour, minute = 0;
    *seconds = 0;
    if (c->at == c->end || take_letter(c, 'Z') || take_letter(c, 'z'))
        return true;
    int sign = take_letter(c, '+') ? 1 : take_letter(c, '-') ? -1 : 0;
    if (!sign || !take_number(c, 2, 0, 23, &hour))
        return false;
    if (take_letter(c, ':') || c->at < c->end)
        if (!take_number(c, 2, 0, 59, &minute))
            return false;
    *seconds = sign * (3600.0 * hour + 60.0 * minute);
    return true;
}

bool bf__timestamp(const char *text, size_t length, double *out) {
    cursor c = {text, text + length};
    int year, month, day;
    double clock = 0, zone = 0;
    if (!take_number(&c, 4, 1, 9999, &year) || !take_letter(&c, '-') ||
        !take_number(&c, 2, 1, 12, &month) || !take_letter(&c, '-') ||
        !take_number(&c, 2, 1, days_in(year, month), &day))
        return false;
    if (c.at < c.end) {
        if (!take_letter(&c, 'T') && !take_letter(&c, 't') && !take_letter(&c, ' '))
            return false;
        if (!take_clock(&c, &clock))
            return false;
        while (take_letter(&c, ' '))
            ;
        if (!take_zone(&c, &zone))
            return false;
    }
    *out = 86400.0 * (double)days_of(year, month, day) + clock - zone;
    return c.at == c.end;
}
