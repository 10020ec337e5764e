# Error against the discount: `gnuplot discounted.gp` draws it again.
if (!exists('folder')) folder = ''
$p0m0 << EOD
-0.0405 3.577644016 3.537209889 3.618540349
0.9595 0.2379451995 0.2055877766 0.2753953513
1.9595 0.9906236267 0.9503495788 1.032604414
2.9595 1.143996576 1.103629564 1.185840075
EOD
$p0m1 << EOD
-0.0135 0.5533971155 0.4727965858 0.6477381112
0.9865 0.193721032 0.157094871 0.238886464
1.9865 0.03413421829 0.02799954864 0.04161298716
2.9865 0.001588945108 0.001318942932 0.001914219709
EOD
$p0m2 << EOD
0.0135 0.6977209271 0.5912701999 0.8233367623
1.0135 0.4171245055 0.35709451 0.4872459482
2.0135 0.04162302018 0.03201926393 0.05410729655
3.0135 0.1420491302 0.1321291161 0.1527139208
EOD
$p0m3 << EOD
0.0405 0.4664321927 0.385172012 0.5648359268
1.0405 0.1291237932 0.1060929926 0.1571541491
2.0405 0.01550772412 0.01274099479 0.01887525355
3.0405 0.00043237842 0.000376775858 0.00049618651
EOD
$p1m0 << EOD
-0.0405 0.421187786 0.4080556698 0.4347425222
0.9595 0.04447986628 0.03769955474 0.05247962523
1.9595 0.3191063021 0.3058757749 0.3329091101
2.9595 0.3634031775 0.3501367701 0.3771722387
EOD
$p1m1 << EOD
-0.0135 0.2771490389 0.2636091921 0.2913843374
0.9865 0.1573442322 0.1437196564 0.1722604132
1.9865 0.4834992296 0.4662866443 0.5013472032
2.9865 0.5279939164 0.5103578475 0.5462394222
EOD
$p1m2 << EOD
0.0135 0.0001172165722 0.0001172165722 0.0001172165722
1.0135 0.04562860302 0.04102544188 0.05074825081
2.0135 0.04227688045 0.03702560573 0.04827293397
3.0135 0.04060901412 0.03507211766 0.04702003009
EOD
$p1m3 << EOD
0.0405 2.803904708e-05 2.409969298e-05 3.262233099e-05
1.0405 0.04353544498 0.03738808536 0.05069355521
2.0405 0.05435893862 0.04656138696 0.06346233221
3.0405 0.05342254169 0.0456706363 0.06249021674
EOD
$p2m0 << EOD
-0.0405 0.4200299676 0.3934373655 0.4484199751
0.9595 0.4193427802 0.3927528022 0.4477329412
1.9595 0.4086431675 0.3820953886 0.4370354715
2.9595 0.4059270663 0.3793904173 0.4343198343
EOD
$p2m1 << EOD
-0.0135 0.1042057394 0.09252606029 0.1173597588
0.9865 0.1057918213 0.09384455655 0.1192600813
1.9865 0.09598901812 0.08414647227 0.1094982517
2.9865 0.09353916211 0.08171945673 0.1070684412
EOD
$p2m2 << EOD
0.0135 0.2178460695 0.164476017 0.2885339204
1.0135 0.02702478444 0.02702478444 0.02702478444
2.0135 0.03620978021 0.03196879384 0.04101337664
3.0135 0.03440964266 0.03098700058 0.03821032968
EOD
$p2m3 << EOD
0.0405 0.01841145718 0.01690397951 0.02005336999
1.0405 0.01957726238 0.01593336851 0.02405449933
2.0405 0.04041556465 0.0329845557 0.04952068723
3.0405 0.05267101201 0.0441190833 0.06288062442
EOD
$p3m0 << EOD
-0.0405 0.5773622196 0.5664393548 0.5884957142
0.9595 0.1101966441 0.1003061577 0.1210623619
1.9595 0.4642305 0.4534551711 0.4752618801
2.9595 0.511484322 0.5006882733 0.5225131596
EOD
$p3m1 << EOD
-0.0135 0.4453169909 0.4318752202 0.459177126
0.9865 0.1893824852 0.171417875 0.2092297882
1.9865 0.5295709684 0.5096544326 0.5502658128
2.9865 0.5769600753 0.5574834619 0.5971171366
EOD
$p3m2 << EOD
0.0135 0.001907258171 0.001907258171 0.001907258171
1.0135 0.0459013302 0.03903455698 0.05397607345
2.0135 0.05816198642 0.04993602737 0.06774300726
3.0135 0.05874886871 0.05046911112 0.06838696974
EOD
$p3m3 << EOD
0.0405 0.000914714019 0.0007459615491 0.00112164191
1.0405 0.04522843147 0.04086808326 0.05005399936
2.0405 0.04999650713 0.0446439277 0.05599083355
3.0405 0.05170286526 0.04650500106 0.05748169476
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
set style line 3 lc rgb '#0072B2' lw 2 dt 5 pt 10 ps 0.75
set style line 4 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "discount gamma"
set ylabel "RMSE (reward per step)"
set xtics ('0.9' 0, '0.99' 1, '0.999' 2, '1' 3)
set xrange [-0.24:3.24]
set lmargin at screen 0.1727
set rmargin at screen 0.9682
set bmargin at screen 0.3380
set tmargin at screen 0.9167
set key at screen 0.5,0.2083 center top vertical maxcols 1 Left reverse samplen 3 spacing 1
set terminal svg size 440,432 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'discounted-1.svg'
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
     NaN with linespoints ls 3 title "LSTD-Q", \
     $p0m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p0m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (default)"
unset output
set terminal svg size 440,432 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'discounted-2.svg'
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
     NaN with linespoints ls 3 title "LSTD-Q", \
     $p1m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p1m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (default)"
unset output
set terminal svg size 440,432 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'discounted-3.svg'
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
     NaN with linespoints ls 3 title "LSTD-Q", \
     $p2m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p2m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (default)"
unset output
set terminal svg size 440,432 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'discounted-4.svg'
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
     NaN with linespoints ls 3 title "LSTD-Q", \
     $p3m3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls 4 lw 1.5 dt 1 notitle, \
     $p3m3 using 1:2 with linespoints ls 4 notitle, \
     NaN with linespoints ls 4 title "black-box (default)"
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
set style line 3 lc rgb '#0072B2' lw 2 dt 5 pt 10 ps 0.75
set style line 4 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "discount gamma"
set ylabel "RMSE (reward per step)"
set xtics ('0.9' 0, '0.99' 1, '0.999' 2, '1' 3)
set xrange [-0.24:3.24]
set terminal svg size 1000,750 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'discounted.svg'
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
     $p0m3 using 1:2 with linespoints ls 4 notitle
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
     $p1m3 using 1:2 with linespoints ls 4 notitle
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
     $p2m3 using 1:2 with linespoints ls 4 notitle
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
     $p3m3 using 1:2 with linespoints ls 4 notitle
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
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "model", NaN with linespoints ls 3 title "LSTD-Q", NaN with linespoints ls 4 title "black-box (default)"
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
set style line 3 lc rgb '#0072B2' lw 2 dt 5 pt 10 ps 0.75
set style line 4 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.75
set xlabel "discount gamma"
set ylabel "RMSE (reward per step)"
set xtics ('0.9' 0, '0.99' 1, '0.999' 2, '1' 3)
set xrange [-0.24:3.24]
set terminal pngcairo size 2000,1500 background 'white' font 'Sans,20' linewidth 1.6 pointscale 2.4
set output folder.'discounted.png'
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
     $p0m3 using 1:2 with linespoints ls 4 notitle
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
     $p1m3 using 1:2 with linespoints ls 4 notitle
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
     $p2m3 using 1:2 with linespoints ls 4 notitle
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
     $p3m3 using 1:2 with linespoints ls 4 notitle
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
plot NaN with linespoints ls 1 title "naive mean", NaN with linespoints ls 2 title "model", NaN with linespoints ls 3 title "LSTD-Q", NaN with linespoints ls 4 title "black-box (default)"
unset multiplot
unset output
reset
