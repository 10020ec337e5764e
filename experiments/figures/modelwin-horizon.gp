# Error against the length of trajectories: `gnuplot modelwin-horizon.gp` draws it again.
if (!exists('folder')) folder = ''
$p0m0 << EOD
3.877159268 0.02713302047 0.02666755016 0.02760661537
7.754318535 0.0344917211 0.03397896909 0.03501221068
15.50863707 0.03629477421 0.0356659117 0.03693472483
31.01727414 0.03908738442 0.03844480571 0.0397407034
62.03454828 0.03973873373 0.03929259052 0.04018994263
124.0690966 0.03870053637 0.03832578858 0.03907894844
EOD
$p0m1 << EOD
4 0.02674866958 0.02625584091 0.02725074875
8 0.01129447598 0.01067701064 0.01194765013
16 0.006940274104 0.006266397011 0.00768661873
32 0.002809186418 0.002334960313 0.003379726966
64 0.002067356315 0.001757704981 0.002431558298
128 0.002241328818 0.001868876876 0.002688007399
EOD
$p0m2 << EOD
4.126732717 0.001143713683 0.0008942464319 0.001462774623
8.253465434 0.00186182277 0.001541876515 0.002248159301
16.50693087 0.002455749395 0.001993729154 0.00302483669
33.01386174 0.002285598674 0.001896536112 0.002754474996
66.02772348 0.001757652941 0.00128648629 0.002401381098
132.055447 0.001803364775 0.001474538405 0.002205520385
EOD
$p1m0 << EOD
3.877159268 0.03947058766 0.03902968464 0.03991647138
7.754318535 0.03991949474 0.03933446196 0.04051322887
15.50863707 0.03996468191 0.0395251286 0.04040912342
31.01727414 0.04020296917 0.03985348338 0.0405555197
62.03454828 0.04063169637 0.04003195607 0.04124042171
124.0690966 0.04030867032 0.03970636016 0.04092011698
EOD
$p1m1 << EOD
4 0.001633955406 0.001256065654 0.00212553401
8 0.002053325144 0.001787464776 0.002358728521
16 0.001740263625 0.00142150686 0.002130497972
32 0.001275042294 0.001002180575 0.001622195533
64 0.001985060454 0.001656363333 0.002378985895
128 0.002118358872 0.001776372462 0.002526184349
EOD
$p1m2 << EOD
4.126732717 0.001660648679 0.001275586939 0.002161949101
8.253465434 0.002064971784 0.001795624696 0.002374721443
16.50693087 0.001670703412 0.001335854952 0.002089485753
33.01386174 0.001259436779 0.001001243829 0.001584210512
66.02772348 0.001961006245 0.001639268018 0.002345891856
132.055447 0.002063322954 0.001727411645 0.002464555351
EOD
set encoding utf8
set grid lc rgb '#dddddd' lt 1
set border lw 1 lc rgb '#333333'
set tics nomirror
set title offset 0,-0.4
set xlabel offset 0,0.4
set logscale y
set format y '10^{%T}'
set mytics 10
set style line 1 lc rgb '#000000' lw 2 dt 3 pt 6 ps 0.75
set style line 2 lc rgb '#56B4E9' lw 2 dt 4 pt 4 ps 0.75
set style line 3 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "length T of a trajectory"
set ylabel "RMSE (reward per step)"
set xtics ('4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128)
set logscale x
set xrange [3.363585661:152.2185107]
set lmargin at screen 0.1727
set rmargin at screen 0.9682
set bmargin at screen 0.3041
set tmargin at screen 0.9124
set key at screen 0.5,0.1679 center top vertical maxcols 1 Left reverse samplen 3 spacing 1
set terminal svg size 440,411 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'modelwin-horizon-1.svg'
set title "T states, T - 1 transitions"
set yrange [*:*]
unset label 1
plot $p0m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p0m0 using 1:2 with linespoints ls 1 notitle, \
     NaN with linespoints ls 1 title "naive mean", \
     $p0m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p0m1 using 1:2 with linespoints ls 2 notitle, \
     NaN with linespoints ls 2 title "IPS", \
     $p0m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p0m2 using 1:2 with linespoints ls 3 notitle, \
     NaN with linespoints ls 3 title "black-box (default)"
unset output
set terminal svg size 440,411 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'modelwin-horizon-2.svg'
set title "T transitions"
set yrange [*:*]
unset label 1
plot $p1m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p1m0 using 1:2 with linespoints ls 1 notitle, \
     NaN with linespoints ls 1 title "naive mean", \
     $p1m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p1m1 using 1:2 with linespoints ls 2 notitle, \
     NaN with linespoints ls 2 title "IPS", \
     $p1m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p1m2 using 1:2 with linespoints ls 3 notitle, \
     NaN with linespoints ls 3 title "black-box (default)"
unset output
reset
set encoding utf8
set grid lc rgb '#dddddd' lt 1
set border lw 1 lc rgb '#333333'
set tics nomirror
set title offset 0,-0.4
set xlabel offset 0,0.4
set logscale y
set format y '10^{%T}'
set mytics 10
set style line 1 lc rgb '#000000' lw 2 dt 3 pt 6 ps 0.75
set style line 2 lc rgb '#56B4E9' lw 2 dt 4 pt 4 ps 0.75
set style line 3 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "length T of a trajectory"
set ylabel "RMSE (reward per step)"
set xtics ('4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128)
set logscale x
set xrange [3.363585661:152.2185107]
set terminal svg size 1000,385 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'modelwin-horizon.svg'
set multiplot layout 1,2 margins screen 0.0780,0.9880,0.2519,0.9117 spacing screen 0.0920,0.2286
unset key
set title "T states, T - 1 transitions"
set yrange [*:*]
unset label 1
plot $p0m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p0m0 using 1:2 with linespoints ls 1 notitle, \
     $p0m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p0m1 using 1:2 with linespoints ls 2 notitle, \
     $p0m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p0m2 using 1:2 with linespoints ls 3 notitle
set title "T transitions"
set yrange [*:*]
unset label 1
plot $p1m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p1m0 using 1:2 with linespoints ls 1 notitle, \
     $p1m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p1m1 using 1:2 with linespoints ls 2 notitle, \
     $p1m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p1m2 using 1:2 with linespoints ls 3 notitle
set yrange [1:10]
unset label 1
unset title
unset xlabel
unset ylabel
unset tics
unset border
unset grid
set lmargin at screen 0.02
set rmargin at screen 0.98
set bmargin at screen 0.005
set tmargin at screen 0.1169
set key inside center center horizontal maxcols 3 Left reverse samplen 3 spacing 1.3
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "IPS", NaN with linespoints ls 3 title "black-box (default)"
unset multiplot
unset output
reset
set encoding utf8
set grid lc rgb '#dddddd' lt 1
set border lw 1 lc rgb '#333333'
set tics nomirror
set title offset 0,-0.4
set xlabel offset 0,0.4
set logscale y
set format y '10^{%T}'
set mytics 10
set style line 1 lc rgb '#000000' lw 2 dt 3 pt 6 ps 0.75
set style line 2 lc rgb '#56B4E9' lw 2 dt 4 pt 4 ps 0.75
set style line 3 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "length T of a trajectory"
set ylabel "RMSE (reward per step)"
set xtics ('4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128)
set logscale x
set xrange [3.363585661:152.2185107]
set terminal pngcairo size 2000,770 background 'white' font 'Sans,20' linewidth 1.6 pointscale 2.4
set output folder.'modelwin-horizon.png'
set multiplot layout 1,2 margins screen 0.0780,0.9880,0.2519,0.9117 spacing screen 0.0920,0.2286
unset key
set title "T states, T - 1 transitions"
set yrange [*:*]
unset label 1
plot $p0m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p0m0 using 1:2 with linespoints ls 1 notitle, \
     $p0m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p0m1 using 1:2 with linespoints ls 2 notitle, \
     $p0m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p0m2 using 1:2 with linespoints ls 3 notitle
set title "T transitions"
set yrange [*:*]
unset label 1
plot $p1m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p1m0 using 1:2 with linespoints ls 1 notitle, \
     $p1m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p1m1 using 1:2 with linespoints ls 2 notitle, \
     $p1m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p1m2 using 1:2 with linespoints ls 3 notitle
set yrange [1:10]
unset label 1
unset title
unset xlabel
unset ylabel
unset tics
unset border
unset grid
set lmargin at screen 0.02
set rmargin at screen 0.98
set bmargin at screen 0.005
set tmargin at screen 0.1169
set key inside center center horizontal maxcols 3 Left reverse samplen 3 spacing 1.3
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "IPS", NaN with linespoints ls 3 title "black-box (default)"
unset multiplot
unset output
reset
