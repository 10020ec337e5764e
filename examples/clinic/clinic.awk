# clinic.awk - A made clinic for blood pressure, and what is true about it.
#
#   awk -f clinic.awk -v make=log                    visits, as a clinic would keep them
#   awk -f clinic.awk -v make=truth -v policy=NAME   what the policy earns per visit, the return of a
#                                                    patient and the number of visits, computed
#   awk -f clinic.awk -v make=policy -v policy=NAME  the policy, as a table
#
# For a log, -v patients=N, -v policy=NAME (a policy instead of the doctors) and -v months=N (followed
# for so long, unless admitted) can be set, too.
#
# A patient has a pressure (well, raised, high) and kidneys (fine, weak), six conditions together. At
# every visit one of three treatments is given, and the score says how good the month was: less for
# pressure, weak kidneys and the burden of treatment, and two points less for an admission, which ends
# the care here. What follows depends on condition and treatment only.
#
# The doctors of two sites treat differently, and nobody wrote down by which rule. Two policies are
# candidates: "vigorous" gives the combination to all whose pressure is not well, "gentle" gives it for
# high pressure only, and spares weak kidneys.
#
# The truth is not simulated: the chain of conditions under a policy, in which an admission leads to a
# new patient, is iterated to its long run. Random numbers are our own, so that every awk makes the
# same log.

function condition(b, k) {
    return (b == 0 ? "well" : b == 1 ? "raised" : "high") (k ? " (weak kidneys)" : "")
}
function treatment(a) { return a == 0 ? "none" : a == 1 ? "tablet" : "combination" }

# ---- The clinic

function down(a) { return a == 0 ? 0.10 : a == 1 ? 0.32 : 0.55 }      # pressure falls
function up(a) { return a == 0 ? 0.30 : a == 1 ? 0.14 : 0.06 }        # pressure rises
function weaken(a) { return a == 0 ? 0.01 : a == 1 ? 0.03 : 0.20 }    # kidneys become weak
function recover(a) { return a == 0 ? 0.15 : a == 1 ? 0.12 : 0.02 }   # kidneys become fine
function admitted(b, k) { return 0.01 + 0.03 * b + 0.05 * k }         # the care ends
function month(b, k, a) { return 1 - 0.3 * b - 0.4 * k - (a == 0 ? 0 : a == 1 ? 0.05 : 0.2) }
function start(b, k) { return (b == 0 ? 0.3 : b == 1 ? 0.5 : 0.2) * (k ? 0.2 : 0.8) }

# The probability of treatment a.
function chance(who, b, k, a,    usual) {
    if (who == "north") return a == 0 ? 0.5 - 0.1 * b : a == 1 ? 0.3 : 0.2 + 0.1 * b
    if (who == "south") return a == 0 ? 0.6 - 0.2 * b : a == 1 ? 0.3 + 0.1 * b : 0.1 + 0.1 * b
    usual = b > 0 ? 2 : 0                                # vigorous
    if (who == "gentle") usual = k ? (b > 0) : b
    return a == usual ? 0.9 : 0.05
}

# The probability of condition (c, l) after (b, k) under treatment a, if the care goes on.
function follows(b, k, a, c, l,    p) {
    p = c == b ? 1 : 0
    if (b > 0) p += down(a) * ((c == b - 1) - (c == b))
    if (b < 2) p += up(a) * ((c == b + 1) - (c == b))
    if (k) return p * (l ? 1 - recover(a) : recover(a))
    return p * (l ? weaken(a) : 1 - weaken(a))
}

# ---- What is true

function truth(    b, k, c, l, a, i, p, mass, next_mass, value, ends) {
    for (b = 0; b < 3; b++) for (k = 0; k < 2; k++) mass[b, k] = start(b, k)
    for (i = 0; i < 3000; i++) {
        value = ends = 0
        for (c = 0; c < 3; c++) for (l = 0; l < 2; l++) next_mass[c, l] = 0
        for (b = 0; b < 3; b++) for (k = 0; k < 2; k++) for (a = 0; a < 3; a++) {
            p = mass[b, k] * chance(policy, b, k, a)
            value += p * (month(b, k, a) - 2 * admitted(b, k))
            ends += p * admitted(b, k)
            for (c = 0; c < 3; c++) for (l = 0; l < 2; l++)
                next_mass[c, l] += p * (1 - admitted(b, k)) * follows(b, k, a, c, l) \
                                 + p * admitted(b, k) * start(c, l)
        }
        for (c = 0; c < 3; c++) for (l = 0; l < 2; l++) mass[c, l] = next_mass[c, l]
    }
    printf "%.6f %.4f %.4f\n", value, value / ends, 1 / ends
}

# ---- A log

function uniform() {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
}
function draw_start(    u, b, k) {
    u = uniform()
    for (b = 0; b < 3; b++) for (k = 0; k < 2; k++) {
        u -= start(b, k)
        if (u < 0) { now_b = b; now_k = k; return }
    }
    now_b = 2; now_k = 1
}
function draw_treatment(who,    u, a) {
    u = uniform()
    for (a = 0; a < 2; a++) {
        u -= chance(who, now_b, now_k, a)
        if (u < 0) return a
    }
    return 2
}
function draw_next(a,    u, c, l) {
    u = uniform()
    for (c = 0; c < 3; c++) for (l = 0; l < 2; l++) {
        u -= follows(now_b, now_k, a, c, l)
        if (u < 0) { now_b = c; now_k = l; return }
    }
}
function date(months, day) {
    return sprintf("%d-%02d-%02d", 2022 + int(months / 12), months % 12 + 1, day)
}
function visits(    p, site, age, day, first, t, length_of, a, over, shown, score) {
    print "patient,visit,site,age,condition,treatment,score,admitted"
    for (p = 0; p < patients; p++) {
        site = uniform() < 0.6 ? "north" : "south"
        age = 40 + int(45 * uniform())
        day = 1 + int(28 * uniform())
        first = int(12 * uniform())
        length_of = months ? months : 6 + int(13 * uniform())  # how long the patient was followed
        draw_start()
        for (t = 0; t < length_of; t++) {
            a = draw_treatment(policy == "" ? site : policy)
            over = uniform() < admitted(now_b, now_k)
            score = month(now_b, now_k, a) - 2 * over
            shown = uniform() < 0.004 ? "" : condition(now_b, now_k)    # not written down
            printf "P-%04d,%s,%s,%s,%s,%s,%.2f,%s\n", 1000 + (7 * p) % 8999, date(first + t, day),
                site, uniform() < 0.02 ? "NA" : age, shown, treatment(a), score,
                over ? "true" : "false"
            if (over) break
            draw_next(a)
        }
    }
}

function table(    b, k) {
    print "s,pi:none,pi:tablet,pi:combination"
    for (k = 0; k < 2; k++) for (b = 0; b < 3; b++)
        printf "%s,%g,%g,%g\n", condition(b, k), chance(policy, b, k, 0), chance(policy, b, k, 1),
            chance(policy, b, k, 2)
}

BEGIN {
    seed = 20261116
    if (!patients) patients = 500
    if (make == "truth") truth()
    else if (make == "policy") table()
    else visits()
}
