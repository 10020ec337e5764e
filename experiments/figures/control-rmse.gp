# Error against the size of the log: `gnuplot control-rmse.gp` draws it again.
if (!exists('folder')) folder = ''
$p0m0 << EOD
9.475048902 1.198363026 1.153520503 1.244948778
18.9500978 1.129491166 1.100787699 1.158943086
47.37524451 1.145325299 1.124027926 1.167026201
94.75048902 1.181421421 1.165912644 1.197136492
142.1257335 1.19747418 1.184883856 1.210198286
189.500978 1.19320882 1.183337846 1.203162133
EOD
$p0m1 << EOD
9.733986286 0.001765541201 0.001540642469 0.002023270028
19.46797257 0.001566536502 0.001367903505 0.001794012957
48.66993143 0.002318686455 0.001952361616 0.002753745429
97.33986286 0.002401591392 0.002016776982 0.002859830939
146.0097943 0.001752423488 0.001502259359 0.002044246262
194.6797257 0.002440157095 0.002113734291 0.002816989191
EOD
$p0m2 << EOD
10 4.979631612 4.878859657 5.082484993
20 5.040656948 4.998631599 5.08303562
50 5.102768422 5.057175413 5.148772476
100 5.155322092 5.129777411 5.180993977
150 5.209600206 5.18547029 5.233842408
200 5.12297189 5.099702159 5.1463478
EOD
$p0m3 << EOD
10.27328343 0.03307159302 0.01980093755 0.05523628679
20.54656686 0.2643335335 0.1882731017 0.3711216114
51.36641714 0.5311627982 0.3939977524 0.7160800195
102.7328343 1.161489261 0.9154985982 1.473576592
154.0992514 1.03215508 0.793483542 1.342616517
205.4656686 0.5395805017 0.4513482265 0.6450609545
EOD
$p0m4 << EOD
10.55403524 0.001176102528 0.001031428862 0.001341068888
21.10807048 0.00058351466 0.000495341219 0.0006873834547
52.7701762 0.0002803790653 0.0002476107167 0.000317483917
105.5403524 0.0001666285702 0.0001478962636 0.0001877334812
158.3105286 0.0001069445912 8.458778356e-05 0.0001352103709
211.0807048 8.953716199e-05 7.559267335e-05 0.0001060539735
EOD
$p1m0 << EOD
9.475048902 0.3588696134 0.3446698527 0.3736543781
18.9500978 0.3582282615 0.3488962463 0.3678098825
47.37524451 0.3810537912 0.3734481629 0.3888143154
94.75048902 0.3563902663 0.3530995311 0.3597116697
142.1257335 0.3585943677 0.3548999941 0.3623271984
189.500978 0.3596741585 0.3563821704 0.3629965556
EOD
$p1m1 << EOD
9.733986286 0.5918516642 0.5753180417 0.6088604338
19.46797257 0.546017233 0.5304126245 0.5620809253
48.66993143 0.5426838764 0.5319430376 0.5536415912
97.33986286 0.5224913284 0.5186111983 0.5264004887
146.0097943 0.516475662 0.5107063354 0.5223101632
194.6797257 0.5258365232 0.5221021112 0.5295976463
EOD
$p1m2 << EOD
10 0.4991363485 0.4700181003 0.530058511
20 0.4405554083 0.4249036922 0.4567836697
50 0.4752055649 0.4596007519 0.4913402077
100 0.4657688339 0.4546559521 0.4771533412
150 0.4558415168 0.4461323047 0.4657620312
200 0.4640061864 0.4541882574 0.4740363439
EOD
$p1m3 << EOD
10.27328343 0.05438528076 0.04872839037 0.0606988809
20.54656686 0.04611771134 0.04120397775 0.05161742664
51.36641714 0.03561371804 0.03215276465 0.03944721166
102.7328343 0.04433441348 0.04025803324 0.04882355296
154.0992514 0.03440613843 0.03172518996 0.0373136414
205.4656686 0.04341016154 0.04049374963 0.04653661718
EOD
$p1m4 << EOD
10.55403524 0.06933438462 0.05929420466 0.08107465
21.10807048 0.04475498502 0.03832633838 0.05226193706
52.7701762 0.02284414974 0.01943628483 0.02684953333
105.5403524 0.01577440108 0.01394825901 0.01783962639
158.3105286 0.01250606322 0.01125663572 0.01389417061
211.0807048 0.01215902643 0.01042649534 0.01417944561
EOD
$p2m0 << EOD
9.475048902 0.3688623565 0.3406229777 0.3994429236
18.9500978 0.4173769607 0.399631672 0.4359102131
47.37524451 0.366085266 0.3524833024 0.3802121151
94.75048902 0.3620293254 0.3547953575 0.3694107877
142.1257335 0.3626178836 0.355358082 0.3700259995
189.500978 0.3604583764 0.3547535663 0.366254926
EOD
$p2m1 << EOD
9.733986286 0.1084300987 0.09124678563 0.1288493202
19.46797257 0.09143734735 0.08241051775 0.10145293
48.66993143 0.0818885708 0.0750785258 0.08931632522
97.33986286 0.08281874579 0.07847831662 0.08739923267
146.0097943 0.08611170127 0.08314202623 0.08918744746
194.6797257 0.08360601909 0.08049427486 0.08683805699
EOD
$p2m2 << EOD
10 0.2389710237 0.2072931641 0.2754897897
20 0.2091820826 0.1888761444 0.2316710977
50 0.1332541969 0.1242285135 0.1429356313
100 0.117966233 0.1119232947 0.1243354403
150 0.1187751561 0.1121487244 0.1257931178
200 0.1204274439 0.1148544835 0.1262708151
EOD
$p2m3 << EOD
10.27328343 0.1995658559 0.1701592291 0.2340544856
20.54656686 0.1800001207 0.1637490351 0.1978640266
51.36641714 0.199298261 0.1757843201 0.2259575645
102.7328343 0.1249602649 0.1145132832 0.1363603187
154.0992514 0.1674517641 0.154657213 0.1813047887
205.4656686 0.141898233 0.1290722063 0.1559987939
EOD
$p2m4 << EOD
10.55403524 0.07484709692 0.05834538439 0.09601595698
21.10807048 0.0552368439 0.04939234961 0.06177290508
52.7701762 0.02347467419 0.01877366884 0.02935283098
105.5403524 0.01117266817 0.009735540392 0.01282193992
158.3105286 0.007777739183 0.006333582057 0.009551187031
211.0807048 0.004478138672 0.003737601731 0.005365399368
EOD
$p3m0 << EOD
9.475048902 0.4945932991 0.4849508615 0.5044274604
18.9500978 0.5059038305 0.4966350095 0.5153456378
47.37524451 0.4952407667 0.4877730732 0.5028227889
94.75048902 0.4988855907 0.492917455 0.5049259873
142.1257335 0.5017180757 0.4988923061 0.5045598506
189.500978 0.4964547042 0.4936464849 0.4992788987
EOD
$p3m1 << EOD
9.733986286 0.5833243784 0.5659795268 0.6012007756
19.46797257 0.5684915137 0.5534141058 0.5839796957
48.66993143 0.5626826908 0.5477927659 0.5779773488
97.33986286 0.5385008449 0.5268709303 0.5503874731
146.0097943 0.5706423351 0.5635021591 0.5778729848
194.6797257 0.5346310687 0.5294068562 0.5399068339
EOD
$p3m2 << EOD
10 0.6028384451 0.5480548883 0.6630981652
20 0.583873589 0.5613774625 0.6072712047
50 0.560018575 0.535549864 0.5856052357
100 0.5719582826 0.5497363623 0.5950784767
150 0.5774142989 0.5615042246 0.5937751809
200 0.5643084235 0.5525056782 0.5763633015
EOD
$p3m3 << EOD
10.27328343 0.0929428806 0.07712132698 0.1120102492
20.54656686 0.08062378623 0.07060426054 0.09206519346
51.36641714 0.03674047838 0.02995198722 0.04506755232
102.7328343 0.134785561 0.09502328469 0.1911862709
154.0992514 0.07413411372 0.06674763625 0.08233799917
205.4656686 0.05594127312 0.04575691251 0.06839242131
EOD
$p3m4 << EOD
10.55403524 0.1060177967 0.07986044184 0.1407426877
21.10807048 0.05191807749 0.04702047758 0.05732580588
52.7701762 0.04947817563 0.03987864071 0.06138849821
105.5403524 0.03419902521 0.03105757685 0.03765822849
158.3105286 0.03996110859 0.03332793124 0.04791447114
211.0807048 0.03070066082 0.0269999115 0.03490865422
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
set ylabel "RMSE (reward per step)"
set xtics ('10' 10, '20' 20, '50' 50, '100' 100, '150' 150, '200' 200)
set logscale x
set xrange [8.608916593:232.3172699]
set lmargin at screen 0.1727
set rmargin at screen 0.9682
set bmargin at screen 0.3687
set tmargin at screen 0.9205
set key at screen 0.5,0.2450 center top vertical maxcols 1 Left reverse samplen 3 spacing 1
set terminal svg size 440,453 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'control-rmse-1.svg'
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
set output folder.'control-rmse-2.svg'
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
set output folder.'control-rmse-3.svg'
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
set output folder.'control-rmse-4.svg'
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
set ylabel "RMSE (reward per step)"
set xtics ('10' 10, '20' 20, '50' 50, '100' 100, '150' 150, '200' 200)
set logscale x
set xrange [8.608916593:232.3172699]
set terminal svg size 1000,750 dynamic background 'white' font 'Helvetica,Arial,sans-serif,14'
set output folder.'control-rmse.svg'
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
set ylabel "RMSE (reward per step)"
set xtics ('10' 10, '20' 20, '50' 50, '100' 100, '150' 150, '200' 200)
set logscale x
set xrange [8.608916593:232.3172699]
set terminal pngcairo size 2000,1500 background 'white' font 'Sans,20' linewidth 1.6 pointscale 2.4
set output folder.'control-rmse.png'
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
