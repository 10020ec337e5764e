# Error against the behaviour: `gnuplot sensitivity.gp` draws it again.
if (!exists('folder')) folder = ''
$p0m0 << EOD
0.6892 1.145325299 1.124027926 1.167026201
0.4892 2.395809789 2.367273888 2.424689672
0.2892 3.884029286 3.852822112 3.915489233
0.0892 5.458657258 5.410589979 5.507151564
EOD
$p0m1 << EOD
0.6946 0.002318686455 0.001952361616 0.002753745429
0.4946 0.05701059288 0.05322440998 0.06106611049
0.2946 1.258150295 1.213706558 1.304221482
0.0946 6.487429264 6.35309562 6.624603339
EOD
$p0m2 << EOD
0.7 5.102768422 5.057175413 5.148772476
0.5 4.753468314 4.648646282 4.860653972
0.3 4.672538927 4.47035226 4.883870164
0.1 5.724962192 5.594457925 5.858510788
EOD
$p0m3 << EOD
0.7054 0.5311627982 0.3939977524 0.7160800195
0.5054 0.1267488261 0.08809704308 0.1823587304
0.3054 0.2336176926 0.1887942922 0.2890830313
0.1054 1.738602098 1.430764051 2.112673472
EOD
$p0m4 << EOD
0.7108 0.0002803790653 0.0002476107167 0.000317483917
0.5108 0.0002344966435 0.0002011129176 0.0002734218988
0.3108 0.002309247507 0.002025253358 0.002633065155
0.1108 0.2346451435 0.1966940645 0.2799186824
EOD
$p1m0 << EOD
0.6892 0.3810537912 0.3734481629 0.3888143154
0.4892 0.717842683 0.712397872 0.7233291084
0.2892 0.7800533 0.7800533 0.7800533
0.0892 0.7800533 0.7800533 0.7800533
EOD
$p1m1 << EOD
0.6946 0.5426838764 0.5319430376 0.5536415912
0.4946 0.742909833 0.7390204774 0.7468196576
0.2946 0.7800533 0.7800533 0.7800533
0.0946 0.7800533 0.7800533 0.7800533
EOD
$p1m2 << EOD
0.7 0.4752055649 0.4596007519 0.4913402077
0.5 0.6524642632 0.6367017219 0.6686170306
0.3 0.7800533 0.7800533 0.7800533
0.1 0.7800533 0.7800533 0.7800533
EOD
$p1m3 << EOD
0.7054 0.03561371804 0.03215276465 0.03944721166
0.5054 0.5547317605 0.5044544193 0.6100200816
0.3054 0.7800533 0.7800533 0.7800533
0.1054 0.7800533 0.7800533 0.7800533
EOD
$p1m4 << EOD
0.7108 0.02284414974 0.01943628483 0.02684953333
0.5108 0.08604603558 0.07157244531 0.1034465178
0.3108 0.7800533 0.7800533 0.7800533
0.1108 0.7800533 0.7800533 0.7800533
EOD
$p2m0 << EOD
0.6892 0.366085266 0.3524833024 0.3802121151
0.4892 1.370979361 1.353794633 1.388382227
0.2892 2.748111903 2.723240745 2.773210207
0.0892 3.916899715 3.89657155 3.937333931
EOD
$p2m1 << EOD
0.6946 0.0818885708 0.0750785258 0.08931632522
0.4946 0.3640605721 0.3447280762 0.3844772425
0.2946 0.8104907507 0.7966222467 0.8246006933
0.0946 0.7587956984 0.7433482344 0.774564175
EOD
$p2m2 << EOD
0.7 0.1332541969 0.1242285135 0.1429356313
0.5 0.514804105 0.4952985518 0.5350778144
0.3 1.103479322 1.074082721 1.133680479
0.1 2.138761412 2.082018317 2.197050978
EOD
$p2m3 << EOD
0.7054 0.199298261 0.1757843201 0.2259575645
0.5054 0.4211195328 0.4045060368 0.4384153627
0.3054 0.7781603779 0.7178444699 0.8435442483
0.1054 0.895319413 0.8048621348 0.9959430526
EOD
$p2m4 << EOD
0.7108 0.02347467419 0.01877366884 0.02935283098
0.5108 0.1533912853 0.1360100094 0.1729937855
0.3108 0.3974251991 0.3528157321 0.4476750169
0.1108 0.7165380145 0.6655673248 0.7714121579
EOD
$p3m0 << EOD
0.6892 0.4952407667 0.4877730732 0.5028227889
0.4892 0.6149884993 0.611968525 0.6180233767
0.2892 0.9342065601 0.9262561276 0.9422252345
0.0892 1.088027252 1.087533521 1.088521207
EOD
$p3m1 << EOD
0.6946 0.5626826908 0.5477927659 0.5779773488
0.4946 0.7126645569 0.7069867462 0.718387966
0.2946 0.9627177867 0.9557034264 0.9697836287
0.0946 1.088315929 1.08810571 1.088526189
EOD
$p3m2 << EOD
0.7 0.560018575 0.535549864 0.5856052357
0.5 0.5835380343 0.5538072422 0.6148649053
0.3 0.9096642748 0.8970053545 0.9225018431
0.1 1.088484111 1.088439031 1.088529192
EOD
$p3m3 << EOD
0.7054 0.03674047838 0.02995198722 0.04506755232
0.5054 0.97044112 0.9154413049 1.02874533
0.3054 1.062130475 1.035744663 1.089188472
0.1054 1.088530025 1.088530025 1.088530025
EOD
$p3m4 << EOD
0.7108 0.04947817563 0.03987864071 0.06138849821
0.5108 0.04103431917 0.0356596387 0.04721908047
0.3108 0.123240972 0.1150119594 0.1320587638
0.1108 1.08849804 1.088466637 1.088529444
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
set style line 2 lc rgb '#E69F00' lw 2 dt 2 pt 8 ps 0.75
set style line 3 lc rgb '#56B4E9' lw 2 dt 4 pt 4 ps 0.75
set style line 4 lc rgb '#009E73' lw 2 dt 2 pt 14 ps 0.75
set style line 5 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "share of the trained policy in the behaviour"
set ylabel "RMSE (reward per step)"
set xtics ('0.7' 0.7, '0.5' 0.5, '0.3' 0.3, '0.1' 0.1)
set xrange [0.052:0.748]
set lmargin at screen 0.1727
set rmargin at screen 0.9682
set bmargin at screen 0.3687
set tmargin at screen 0.9205
set key at screen 0.5,0.2450 center top vertical maxcols 1 Left reverse samplen 3 spacing 1
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'sensitivity-1.svg'
set title "Pendulum"
set yrange [*:*]
unset label 1
plot $p0m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p0m0 using 1:2 with linespoints ls 1 notitle, \
     NaN with linespoints ls 1 title "naive mean", \
     $p0m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p0m1 using 1:2 with linespoints ls 2 notitle, \
     NaN with linespoints ls 2 title "model", \
     $p0m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p0m2 using 1:2 with linespoints ls 3 notitle, \
     NaN with linespoints ls 3 title "IPS (network)", \
     $p0m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p0m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (paper's network)", \
     $p0m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p0m4 using 1:2 with linespoints ls 5 notitle, \
     NaN with linespoints ls 5 title "black-box (default)"
unset output
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'sensitivity-2.svg'
set title "Mountain Car"
set yrange [*:*]
unset label 1
plot $p1m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p1m0 using 1:2 with linespoints ls 1 notitle, \
     NaN with linespoints ls 1 title "naive mean", \
     $p1m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p1m1 using 1:2 with linespoints ls 2 notitle, \
     NaN with linespoints ls 2 title "model", \
     $p1m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p1m2 using 1:2 with linespoints ls 3 notitle, \
     NaN with linespoints ls 3 title "IPS (network)", \
     $p1m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p1m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (paper's network)", \
     $p1m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p1m4 using 1:2 with linespoints ls 5 notitle, \
     NaN with linespoints ls 5 title "black-box (default)"
unset output
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'sensitivity-3.svg'
set title "CartPole"
set yrange [*:*]
unset label 1
plot $p2m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p2m0 using 1:2 with linespoints ls 1 notitle, \
     NaN with linespoints ls 1 title "naive mean", \
     $p2m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p2m1 using 1:2 with linespoints ls 2 notitle, \
     NaN with linespoints ls 2 title "model", \
     $p2m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p2m2 using 1:2 with linespoints ls 3 notitle, \
     NaN with linespoints ls 3 title "IPS (network)", \
     $p2m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p2m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (paper's network)", \
     $p2m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p2m4 using 1:2 with linespoints ls 5 notitle, \
     NaN with linespoints ls 5 title "black-box (default)"
unset output
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'sensitivity-4.svg'
set title "Acrobot"
set yrange [*:*]
unset label 1
plot $p3m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p3m0 using 1:2 with linespoints ls 1 notitle, \
     NaN with linespoints ls 1 title "naive mean", \
     $p3m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p3m1 using 1:2 with linespoints ls 2 notitle, \
     NaN with linespoints ls 2 title "model", \
     $p3m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p3m2 using 1:2 with linespoints ls 3 notitle, \
     NaN with linespoints ls 3 title "IPS (network)", \
     $p3m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p3m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (paper's network)", \
     $p3m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p3m4 using 1:2 with linespoints ls 5 notitle, \
     NaN with linespoints ls 5 title "black-box (default)"
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
set style line 2 lc rgb '#E69F00' lw 2 dt 2 pt 8 ps 0.75
set style line 3 lc rgb '#56B4E9' lw 2 dt 4 pt 4 ps 0.75
set style line 4 lc rgb '#009E73' lw 2 dt 2 pt 14 ps 0.75
set style line 5 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "share of the trained policy in the behaviour"
set ylabel "RMSE (reward per step)"
set xtics ('0.7' 0.7, '0.5' 0.5, '0.3' 0.3, '0.1' 0.1)
set xrange [0.052:0.748]
set terminal svg size 1000,750 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'sensitivity.svg'
set multiplot layout 2,2 margins screen 0.0780,0.9880,0.1627,0.9547 spacing screen 0.0920,0.1173
unset key
set title "Pendulum"
set yrange [*:*]
unset label 1
plot $p0m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p0m0 using 1:2 with linespoints ls 1 notitle, \
     $p0m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p0m1 using 1:2 with linespoints ls 2 notitle, \
     $p0m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p0m2 using 1:2 with linespoints ls 3 notitle, \
     $p0m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p0m3 using 1:2 with linespoints ls 4 notitle, \
     $p0m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p0m4 using 1:2 with linespoints ls 5 notitle
set title "Mountain Car"
set yrange [*:*]
unset label 1
plot $p1m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p1m0 using 1:2 with linespoints ls 1 notitle, \
     $p1m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p1m1 using 1:2 with linespoints ls 2 notitle, \
     $p1m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p1m2 using 1:2 with linespoints ls 3 notitle, \
     $p1m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p1m3 using 1:2 with linespoints ls 4 notitle, \
     $p1m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p1m4 using 1:2 with linespoints ls 5 notitle
set title "CartPole"
set yrange [*:*]
unset label 1
plot $p2m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p2m0 using 1:2 with linespoints ls 1 notitle, \
     $p2m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p2m1 using 1:2 with linespoints ls 2 notitle, \
     $p2m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p2m2 using 1:2 with linespoints ls 3 notitle, \
     $p2m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p2m3 using 1:2 with linespoints ls 4 notitle, \
     $p2m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p2m4 using 1:2 with linespoints ls 5 notitle
set title "Acrobot"
set yrange [*:*]
unset label 1
plot $p3m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p3m0 using 1:2 with linespoints ls 1 notitle, \
     $p3m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p3m1 using 1:2 with linespoints ls 2 notitle, \
     $p3m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p3m2 using 1:2 with linespoints ls 3 notitle, \
     $p3m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p3m3 using 1:2 with linespoints ls 4 notitle, \
     $p3m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p3m4 using 1:2 with linespoints ls 5 notitle
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
set tmargin at screen 0.0933
set key inside center center horizontal maxcols 3 Left reverse samplen 3 spacing 1.3
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "model", NaN with linespoints ls 3 title "IPS (network)", NaN with linespoints ls 4 title "black-box (paper's network)", NaN with linespoints ls 5 title "black-box (default)"
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
set style line 2 lc rgb '#E69F00' lw 2 dt 2 pt 8 ps 0.75
set style line 3 lc rgb '#56B4E9' lw 2 dt 4 pt 4 ps 0.75
set style line 4 lc rgb '#009E73' lw 2 dt 2 pt 14 ps 0.75
set style line 5 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "share of the trained policy in the behaviour"
set ylabel "RMSE (reward per step)"
set xtics ('0.7' 0.7, '0.5' 0.5, '0.3' 0.3, '0.1' 0.1)
set xrange [0.052:0.748]
set terminal pngcairo size 2000,1500 background 'white' font 'Sans,20' linewidth 1.6 pointscale 2.4
set output folder.'sensitivity.png'
set multiplot layout 2,2 margins screen 0.0780,0.9880,0.1627,0.9547 spacing screen 0.0920,0.1173
unset key
set title "Pendulum"
set yrange [*:*]
unset label 1
plot $p0m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p0m0 using 1:2 with linespoints ls 1 notitle, \
     $p0m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p0m1 using 1:2 with linespoints ls 2 notitle, \
     $p0m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p0m2 using 1:2 with linespoints ls 3 notitle, \
     $p0m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p0m3 using 1:2 with linespoints ls 4 notitle, \
     $p0m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p0m4 using 1:2 with linespoints ls 5 notitle
set title "Mountain Car"
set yrange [*:*]
unset label 1
plot $p1m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p1m0 using 1:2 with linespoints ls 1 notitle, \
     $p1m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p1m1 using 1:2 with linespoints ls 2 notitle, \
     $p1m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p1m2 using 1:2 with linespoints ls 3 notitle, \
     $p1m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p1m3 using 1:2 with linespoints ls 4 notitle, \
     $p1m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p1m4 using 1:2 with linespoints ls 5 notitle
set title "CartPole"
set yrange [*:*]
unset label 1
plot $p2m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p2m0 using 1:2 with linespoints ls 1 notitle, \
     $p2m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p2m1 using 1:2 with linespoints ls 2 notitle, \
     $p2m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p2m2 using 1:2 with linespoints ls 3 notitle, \
     $p2m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p2m3 using 1:2 with linespoints ls 4 notitle, \
     $p2m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p2m4 using 1:2 with linespoints ls 5 notitle
set title "Acrobot"
set yrange [*:*]
unset label 1
plot $p3m0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 1 lw 1.5 dt 1 notitle, \
     $p3m0 using 1:2 with linespoints ls 1 notitle, \
     $p3m1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 2 lw 1.5 dt 1 notitle, \
     $p3m1 using 1:2 with linespoints ls 2 notitle, \
     $p3m2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 3 lw 1.5 dt 1 notitle, \
     $p3m2 using 1:2 with linespoints ls 3 notitle, \
     $p3m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p3m3 using 1:2 with linespoints ls 4 notitle, \
     $p3m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p3m4 using 1:2 with linespoints ls 5 notitle
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
set tmargin at screen 0.0933
set key inside center center horizontal maxcols 3 Left reverse samplen 3 spacing 1.3
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "model", NaN with linespoints ls 3 title "IPS (network)", NaN with linespoints ls 4 title "black-box (paper's network)", NaN with linespoints ls 5 title "black-box (default)"
unset multiplot
unset output
reset
