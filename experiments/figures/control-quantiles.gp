# The same errors by quartiles: `gnuplot control-quantiles.gp` draws it again.
if (!exists('folder')) folder = ''
$p0m0 << EOD
9.475048902 1.203156305 1.056280027 1.322666148
18.9500978 1.103521694 1.043058636 1.226425466
47.37524451 1.132887664 1.069084402 1.210313606
94.75048902 1.180678131 1.117786882 1.232313344
142.1257335 1.196125444 1.148449937 1.238071656
189.500978 1.184133931 1.16662398 1.203049848
EOD
$p0m1 << EOD
9.733986286 0.001309598216 0.0007749025454 0.001874930588
19.46797257 0.0009132992286 0.0007756199943 0.001705667263
48.66993143 0.001296017456 0.0008301666799 0.002082939304
97.33986286 0.001422859659 0.0008612409071 0.00298680386
146.0097943 0.0008820085835 0.0007561169231 0.001612415871
194.6797257 0.001460519281 0.0009233898007 0.003295703385
EOD
$p0m2 << EOD
10 4.919247442 4.666227966 5.328224909
20 5.013518509 4.905267467 5.209844138
50 5.126918428 4.948725788 5.285954667
100 5.190874708 5.082716754 5.22137709
150 5.216941281 5.146321981 5.256949312
200 5.105842134 5.034798799 5.204151744
EOD
$p0m3 << EOD
10.27328343 0.001605979282 0.0008989854878 0.007904856065
20.54656686 0.006903003594 0.002808048485 0.04280583288
51.36641714 0.02572947959 0.008173585032 0.3216116203
102.7328343 0.317442556 0.01391401055 0.9382290824
154.0992514 0.3805875967 0.03636318526 1.017668502
205.4656686 0.1402160263 0.06039220977 0.6292494781
EOD
$p0m4 << EOD
10.55403524 0.0009629798138 0.0004984418626 0.001269470083
21.10807048 0.0004443212563 0.0002309066225 0.0006302406944
52.7701762 0.0002075905511 8.703808999e-05 0.0003531059435
105.5403524 0.0001159780537 4.583753874e-05 0.0002255770065
158.3105286 7.255815892e-05 2.740755716e-05 0.0001026660097
211.0807048 4.990363436e-05 1.414507304e-05 9.581225222e-05
EOD
$p1m0 << EOD
9.475048902 0.3255533 0.3255533 0.3886783
18.9500978 0.3508033 0.3255533 0.3760533
47.37524451 0.3760533 0.3558533 0.3987783
94.75048902 0.3558533 0.3457533 0.3621658
142.1257335 0.3592199667 0.3474366333 0.3676366333
189.500978 0.3583783 0.35017205 0.3684783
EOD
$p1m1 << EOD
9.733986286 0.5939699104 0.5331716959 0.6491206594
19.46797257 0.5258659833 0.492133797 0.5881284129
48.66993143 0.5340796069 0.5189549989 0.5573325683
97.33986286 0.5234429695 0.5101677266 0.5374233677
146.0097943 0.5192873594 0.5029361846 0.5317789889
194.6797257 0.5238907695 0.5151358993 0.5381349786
EOD
$p1m2 << EOD
10 0.5172877133 0.4080510998 0.5633976295
20 0.4492543945 0.3847684179 0.4761332258
50 0.4668794173 0.4327353449 0.5155816065
100 0.4839559177 0.4273396049 0.5001590735
150 0.458542221 0.4156354779 0.4899412376
200 0.4708591362 0.4425110004 0.4944779708
EOD
$p1m3 << EOD
10.27328343 0.04693958128 0.02874402026 0.06293031772
20.54656686 0.03555330419 0.02831447783 0.052500579
51.36641714 0.03476882334 0.01665133611 0.04061449045
102.7328343 0.04074371205 0.02578218909 0.05024888827
154.0992514 0.03585770002 0.01874949729 0.04134461428
205.4656686 0.04125143839 0.03268280649 0.04750312383
EOD
$p1m4 << EOD
10.55403524 0.03314331858 0.008391810798 0.09163487132
21.10807048 0.02482571853 0.01224810018 0.05837770008
52.7701762 0.01345348572 0.01033529266 0.02070019985
105.5403524 0.01354525388 0.006619482396 0.01759985136
158.3105286 0.01069330554 0.005114653163 0.0148231761
211.0807048 0.00840274915 0.004579635587 0.01340818924
EOD
$p2m0 << EOD
9.475048902 0.3379864 0.3001114 0.4137364
18.9500978 0.4263614 0.3379864 0.4642364
47.37524451 0.3733364 0.3102114 0.3985864
94.75048902 0.3531364 0.3367239 0.3733364
142.1257335 0.3565030667 0.3413530667 0.3868030667
189.500978 0.3619739 0.3379864 0.3758614
EOD
$p2m1 << EOD
9.733986286 0.05742735172 0.01778762857 0.1262790154
19.46797257 0.07524918435 0.04254456227 0.1114977392
48.66993143 0.07947879439 0.04072144998 0.09939741585
97.33986286 0.07988881928 0.06365542437 0.09509159205
146.0097943 0.08326126099 0.07246744794 0.09348907957
194.6797257 0.08127661997 0.0720719813 0.09271187949
EOD
$p2m2 << EOD
10 0.1351389731 0.09412140604 0.2911995334
20 0.1875839453 0.1124665893 0.2231721656
50 0.1256334596 0.09737770958 0.1563597497
100 0.1187336999 0.1013185045 0.1219637572
150 0.1018329723 0.09629556642 0.1311036215
200 0.111839699 0.1020979543 0.1329601508
EOD
$p2m3 << EOD
10.27328343 0.1011202781 0.04029271957 0.2405751208
20.54656686 0.1714667663 0.09696499971 0.2198246209
51.36641714 0.160519398 0.08451846403 0.2433149021
102.7328343 0.1324133547 0.06209208169 0.1585728582
154.0992514 0.1680047145 0.0954678587 0.2074102934
205.4656686 0.1217326443 0.09260545157 0.1836450475
EOD
$p2m4 << EOD
10.55403524 0.02911254881 0.006303937122 0.05231306564
21.10807048 0.04932687964 0.02685488388 0.06483284485
52.7701762 0.008448911855 0.00581657932 0.01893321056
105.5403524 0.008361427792 0.003142802949 0.01277588453
158.3105286 0.005374621682 0.002384243692 0.007295774356
211.0807048 0.002129557194 0.0008835145517 0.005100070649
EOD
$p3m0 << EOD
9.475048902 0.482530025 0.482530025 0.533030025
18.9500978 0.507780025 0.482530025 0.533030025
47.37524451 0.492630025 0.472430025 0.515355025
94.75048902 0.505255025 0.477480025 0.519142525
142.1257335 0.5044133583 0.4892633583 0.5111466917
189.500978 0.497680025 0.489473775 0.502730025
EOD
$p3m1 << EOD
9.733986286 0.5872670234 0.5262406742 0.6248116076
19.46797257 0.5677138289 0.5292993705 0.6117544335
48.66993143 0.5603447421 0.5295150093 0.6105366198
97.33986286 0.5454587521 0.5022972231 0.5721125439
146.0097943 0.5665000427 0.5482050317 0.5919127661
194.6797257 0.5388414405 0.5151011422 0.5534800126
EOD
$p3m2 << EOD
10 0.5110486823 0.3346692178 0.7630852886
20 0.5785796373 0.5195846106 0.6404251866
50 0.5610654224 0.4713195288 0.6566844979
100 0.5615919256 0.5247020737 0.5955038847
150 0.5983090068 0.5054430864 0.6301705253
200 0.5602965756 0.5235880973 0.6012173214
EOD
$p3m3 << EOD
10.27328343 0.03893826996 0.01549129206 0.1113172331
20.54656686 0.05840674638 0.0223378877 0.1032941089
51.36641714 0.02181250768 0.01183230749 0.03761207151
102.7328343 0.04856236192 0.03232743648 0.08953277949
154.0992514 0.07011667083 0.02857527598 0.09928532912
205.4656686 0.03255612567 0.02144098154 0.0486989469
EOD
$p3m4 << EOD
10.55403524 0.03639542163 0.02405626367 0.08988043431
21.10807048 0.04862995381 0.007216058385 0.06935512383
52.7701762 0.02957328592 0.01812751841 0.04664825456
105.5403524 0.02866709211 0.0211648343 0.04372721834
158.3105286 0.01439057905 0.009606391657 0.04547846994
211.0807048 0.02214985348 0.01306461399 0.03943700366
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
set xlabel "number of trajectories"
set ylabel "absolute error (reward per step)"
set xtics ('10' 10, '20' 20, '50' 50, '100' 100, '150' 150, '200' 200)
set logscale x
set xrange [8.608916593:232.3172699]
set lmargin at screen 0.1727
set rmargin at screen 0.9682
set bmargin at screen 0.3687
set tmargin at screen 0.9205
set key at screen 0.5,0.2450 center top vertical maxcols 1 Left reverse samplen 3 spacing 1
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'control-quantiles-1.svg'
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
set output folder.'control-quantiles-2.svg'
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
set output folder.'control-quantiles-3.svg'
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
set output folder.'control-quantiles-4.svg'
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
set xlabel "number of trajectories"
set ylabel "absolute error (reward per step)"
set xtics ('10' 10, '20' 20, '50' 50, '100' 100, '150' 150, '200' 200)
set logscale x
set xrange [8.608916593:232.3172699]
set terminal svg size 1000,750 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'control-quantiles.svg'
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
set xlabel "number of trajectories"
set ylabel "absolute error (reward per step)"
set xtics ('10' 10, '20' 20, '50' 50, '100' 100, '150' 150, '200' 200)
set logscale x
set xrange [8.608916593:232.3172699]
set terminal pngcairo size 2000,1500 background 'white' font 'Sans,20' linewidth 1.6 pointscale 2.4
set output folder.'control-quantiles.png'
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
