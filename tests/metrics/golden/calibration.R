# Recorded numbers of calibration, by R's glm and rms (Debian's r-base-core 4.2.2, r-cran-rms 6.5-0).
# Rscript calibration.R > calibration_r.json
# CalibrationCurves is not in Debian: its curve is the same logistic regression on rcs(logit p).
suppressMessages(library(rms))
options(digits = 17)
RNGversion("4.0.0")

number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
entry <- function(name, value) paste0("\"", name, "\": ", value)

measure <- function(p, y, w) {
  lp <- qlogis(p)
  control <- glm.control(epsilon = 1e-15, maxit = 100)
  slope <- suppressWarnings(glm(y ~ lp, binomial, weights = w, control = control))
  level <- suppressWarnings(glm(y ~ offset(lp), binomial, weights = w, control = control))
  rows <- rep(seq_along(y), w)
  out <- c(entry("slope", number(coef(slope)[[2]])), entry("intercept", number(coef(level)[[1]])),
           entry("expected_observed", number(sum(w * p) / sum(w * y))))
  for (k in 3:5) {
    knots <- as.numeric(rcspline.eval(lp[rows], nk = k, knots.only = TRUE))
    basis <- rcspline.eval(lp, knots = knots, inclx = TRUE)
    curve <- suppressWarnings(glm(y ~ basis, binomial, weights = w, control = control))
    away <- abs(p - fitted(curve))[rows]
    out <- c(out, entry(paste0("knots_", k), number(knots)),
             entry(paste0("distances_", k),
                   number(c(mean(away), quantile(away, c(.5, .9), names = FALSE)))))
    if (k == 3) {
      x <- cbind(1, basis)[rows, ]
      residual <- (y - fitted(curve))[rows]
      bread <- solve(t(x) %*% (x * (fitted(curve) * (1 - fitted(curve)))[rows]))
      meat <- crossprod(x * residual)
      at <- quantile(lp, c(.1, .3, .5, .7, .9), names = FALSE)
      grid <- cbind(1, rcspline.eval(at, knots = knots, inclx = TRUE))
      error <- sqrt(diag(grid %*% bread %*% meat %*% bread %*% t(grid)))
      out <- c(out, entry("at", number(at)), entry("curve", number(plogis(grid %*% coef(curve)))),
               entry("error", number(error)))
    }
  }
  if (all(w == 1)) {
    v <- val.prob(p, y, pl = FALSE)  # its lrm stops at a change of deviance of .025
    out <- c(out, entry("val_prob", number(v[c("Brier", "Intercept", "Slope", "C (ROC)")])))
  }
  out
}

set.seed(46)
cases <- c()
for (n in c(60, 300)) {
  x <- rnorm(n)
  p <- plogis(-1 + 1.4 * x)
  y <- rbinom(n, 1, plogis(-.6 + .9 * x))
  for (w in list(rep(1, n), rpois(n, 1.2))) {
    facts <- c(entry("p", number(p)), entry("y", number(y)), entry("w", number(w)),
               measure(p, y, w))
    cases <- c(cases, paste0("{", paste(facts, collapse = ",\n"), "}"))
  }
}
cat("[", paste(cases, collapse = ",\n"), "]\n", sep = "")
