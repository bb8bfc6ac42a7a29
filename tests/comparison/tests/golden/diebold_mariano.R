# Numbers of R's forecast::dm.test, which tests/comparison/tests/test_diebold_mariano.py is held to.
# R 4.2 or newer with forecast 8.20: Rscript diebold_mariano.R > diebold_mariano.csv
suppressMessages(library(forecast))
n <- 60
t <- 1:n
e1 <- sin(t * 1.7) + 0.3 * cos(t * t / 50)
e2 <- 1.2 * sin(t * 1.3 + 0.4) + 0.25 * cos(t / 3)
cat("power,steps,variance,alternative,statistic,p\n")
for (power in c(1, 2)) for (h in c(1, 2, 4, 8)) for (kind in c("acf", "bartlett")) {
  for (side in c("two.sided", "less", "greater")) {
    x <- suppressWarnings(dm.test(e1, e2, alternative = side, h = h, power = power, varestimator = kind))
    cat(sprintf("%d,%d,%s,%s,%.12g,%.12g\n", power, h, kind, side, x$statistic, x$p.value))
  }
}
