# Bias and variance: `gnuplot bias-variance.gp` draws it again.
if (!exists('folder')) folder = ''
$p0m0 << EOD
93.95227492 0.0297 0.02652324489 0.03325724298
187.9045498 0.02776666667 0.0253465139 0.03041790208
375.8090997 0.02439166667 0.02278930462 0.02610669402
751.6181994 0.02769166667 0.02653118611 0.02890290693
1503.236399 0.02731458333 0.02645857957 0.02819828104
3006.472797 0.02751354167 0.02692686874 0.02811299681
EOD
$p0m1 << EOD
96.92898169 0.02465978037 0.02128803871 0.02856556098
193.8579634 0.02723634095 0.02460966094 0.03014337623
387.7159268 0.0290544841 0.02730142306 0.03092011154
775.4318535 0.02466183808 0.02336150399 0.0260345506
1550.863707 0.02654767534 0.02561856379 0.02751048309
3101.727414 0.0256114813 0.02498933539 0.02624911644
EOD
$p0m2 << EOD
100 0.001316824992 0.0001656149815 0.01047023672
200 0.0003871455876 3.881476896e-05 0.003861460727
400 0.001822225261 0.0008723344899 0.00380645835
800 0.001511832362 0.0007802480975 0.002929372206
1600 9.139005498e-05 9.16266124e-06 0.0009115410829
3200 0.0007390661254 0.0003928080867 0.001390548607
EOD
$p0m3 << EOD
103.1683179 0.003268237567 0.001358985231 0.007859818158
206.3366359 0.004758072543 0.00299062091 0.007570084946
412.6732717 0.005885524556 0.004611940716 0.007510807584
825.3465434 0.002520455583 0.00166453195 0.003816506103
1650.693087 0.004063314504 0.003388698145 0.004872232361
3301.386174 0.003465071447 0.00299883106 0.004003800111
EOD
$p0m4 << EOD
106.4370182 0.00132142804 0.0001674142138 0.01043024977
212.8740365 0.0003828638611 3.838548801e-05 0.003818754006
425.748073 0.00181828495 0.0008690986961 0.003804125097
851.496146 0.001515702599 0.0007835883436 0.002931838365
1702.992292 9.535903523e-05 9.560586611e-06 0.0009511284161
3405.984584 0.0007430704479 0.0003962995791 0.001393273472
EOD
$p1m0 << EOD
93.95227492 0.04806843019 0.04569801141 0.05056180585
187.9045498 0.03568287332 0.03401609797 0.03743132001
375.8090997 0.02335317265 0.02212703314 0.02464725701
751.6181994 0.01649825084 0.0156906868 0.01734737838
1503.236399 0.01222368365 0.01165016082 0.01282544029
3006.472797 0.008300791715 0.007820987472 0.00881003113
EOD
$p1m1 << EOD
96.92898169 0.050445847 0.04810756332 0.05289778371
193.8579634 0.03899012444 0.03720316574 0.04086291512
387.7159268 0.02517165693 0.02364874825 0.02679263637
775.4318535 0.0184441755 0.01749142263 0.01944882454
1550.863707 0.01325215339 0.01262808943 0.01390705779
3101.727414 0.008888575452 0.008399323288 0.009406326064
EOD
$p1m2 << EOD
100 0.03781827311 0.03607922764 0.03964114187
200 0.02927330459 0.0279473195 0.03066220221
400 0.01877071822 0.01764272881 0.01997082573
800 0.01381303158 0.01309152811 0.01457429871
1600 0.009861136529 0.009392786319 0.01035283997
3200 0.006580938261 0.006228650034 0.006953151671
EOD
$p1m3 << EOD
103.1683179 0.03968834288 0.03785110352 0.04161475926
206.3366359 0.03106286403 0.02967939548 0.03251082127
412.6732717 0.01999004808 0.01874994072 0.02131217524
825.3465434 0.01443690318 0.01368017437 0.01523549099
1650.693087 0.01037083473 0.009878424342 0.01088779034
3301.386174 0.007050744836 0.006672596017 0.007450324074
EOD
$p1m4 << EOD
106.4370182 0.03781660776 0.03607765645 0.03963937693
212.8740365 0.02927170701 0.02794577136 0.03066055399
425.748073 0.01876965242 0.01764176897 0.01996964435
851.496146 0.01381249394 0.01309102238 0.01457372719
1702.992292 0.009860702442 0.009392373774 0.01035238322
3405.984584 0.006580527225 0.006228263117 0.006952715027
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
set style line 3 lc rgb '#0072B2' lw 2 dt 5 pt 10 ps 0.75
set style line 4 lc rgb '#CC79A7' lw 2 dt 2 pt 12 ps 0.75
set style line 5 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "number of trajectories"
set ylabel "reward per step"
set xtics ('100' 100, '200' 200, '400' 400, '800' 800, '1600' 1600, '3200' 3200)
set logscale x
set xrange [84.08964153:3805.462768]
set lmargin at screen 0.1727
set rmargin at screen 0.9682
set bmargin at screen 0.3687
set tmargin at screen 0.9205
set key at screen 0.5,0.2450 center top vertical maxcols 1 Left reverse samplen 3 spacing 1
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'bias-variance-1.svg'
set title "absolute bias"
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
     NaN with linespoints ls 3 title "DualDICE (0.9999)", \
     $p0m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p0m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "DualDICE (0.9)", \
     $p0m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p0m4 using 1:2 with linespoints ls 5 notitle, \
     NaN with linespoints ls 5 title "black-box (default)"
unset output
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'bias-variance-2.svg'
set title "standard deviation"
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
     NaN with linespoints ls 3 title "DualDICE (0.9999)", \
     $p1m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p1m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "DualDICE (0.9)", \
     $p1m4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 5 lw 1.5 dt 1 notitle, \
     $p1m4 using 1:2 with linespoints ls 5 notitle, \
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
set style line 2 lc rgb '#56B4E9' lw 2 dt 4 pt 4 ps 0.75
set style line 3 lc rgb '#0072B2' lw 2 dt 5 pt 10 ps 0.75
set style line 4 lc rgb '#CC79A7' lw 2 dt 2 pt 12 ps 0.75
set style line 5 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "number of trajectories"
set ylabel "reward per step"
set xtics ('100' 100, '200' 200, '400' 400, '800' 800, '1600' 1600, '3200' 3200)
set logscale x
set xrange [84.08964153:3805.462768]
set terminal svg size 1000,410 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'bias-variance.svg'
set multiplot layout 1,2 margins screen 0.0780,0.9880,0.2976,0.9171 spacing screen 0.0920,0.2146
unset key
set title "absolute bias"
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
set title "standard deviation"
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
set tmargin at screen 0.1707
set key inside center center horizontal maxcols 3 Left reverse samplen 3 spacing 1.3
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "IPS", NaN with linespoints ls 3 title "DualDICE (0.9999)", NaN with linespoints ls 4 title "DualDICE (0.9)", NaN with linespoints ls 5 title "black-box (default)"
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
set style line 3 lc rgb '#0072B2' lw 2 dt 5 pt 10 ps 0.75
set style line 4 lc rgb '#CC79A7' lw 2 dt 2 pt 12 ps 0.75
set style line 5 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "number of trajectories"
set ylabel "reward per step"
set xtics ('100' 100, '200' 200, '400' 400, '800' 800, '1600' 1600, '3200' 3200)
set logscale x
set xrange [84.08964153:3805.462768]
set terminal pngcairo size 2000,820 background 'white' font 'Sans,20' linewidth 1.6 pointscale 2.4
set output folder.'bias-variance.png'
set multiplot layout 1,2 margins screen 0.0780,0.9880,0.2976,0.9171 spacing screen 0.0920,0.2146
unset key
set title "absolute bias"
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
set title "standard deviation"
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
set tmargin at screen 0.1707
set key inside center center horizontal maxcols 3 Left reverse samplen 3 spacing 1.3
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "IPS", NaN with linespoints ls 3 title "DualDICE (0.9999)", NaN with linespoints ls 4 title "DualDICE (0.9)", NaN with linespoints ls 5 title "black-box (default)"
unset multiplot
unset output
reset
