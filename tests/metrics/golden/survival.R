# Recorded numbers of survival, by R's survival, riskRegression and glm (Debian's r-base-core 4.2.2,
# r-cran-survival 3.5-3, r-cran-riskregression 2022.11.28).
# Rscript survival.R > survival_r.json
# timeROC and survAUC are not in Debian.
suppressMessages({library(survival); library(riskRegression)})
RNGversion("4.0.0")

number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
entry <- function(name, value) paste0("\"", name, "\": ", value)

measure <- function(data, x, w) {
  d <- data[rep(seq_len(nrow(data)), w), ]
  fixed <- c(.5, 1, 1.5)
  chances <- exp(-outer(exp(.5 * d$a), fixed))
  out <- c(entry("times", number(fixed)))
  censored <- survfit(Surv(time, 1 - event) ~ 1, d)  # for glm's weights; times without ties
  uno <- concordance(Surv(time, event) ~ a, d, reverse = TRUE, timewt = "n/G2", ymax = 1.45)
  harrell <- concordance(Surv(time, event) ~ a, d, reverse = TRUE)
  out <- c(out, entry("uno", number(uno$concordance)), entry("harrell", number(harrell$concordance)))
  s <- Score(list(m = 1 - chances), formula = Surv(time, event) ~ 1, data = d, times = fixed,
             metrics = c("auc", "brier"), cens.model = "km", conf.int = FALSE, null.model = FALSE,
             contrasts = FALSE)
  out <- c(out, entry("auc", number(s$AUC$score$AUC)), entry("brier", number(s$Brier$score$Brier)))
  km <- summary(survfit(Surv(time, event) ~ 1, d), times = fixed)$surv
  out <- c(out, entry("ratio", number(colMeans(1 - chances) / (1 - km))))
  known <- !(d$time <= 1 & d$event == 0)
  steps <- stepfun(censored$time, c(1, censored$surv))
  g <- ifelse(d$time <= 1, steps(d$time - 1e-9), steps(1))
  p <- 1 - chances[, 2]
  fit <- suppressWarnings(glm(I(d$time <= 1)[known] ~ qlogis(p[known]), quasibinomial,
                              weights = 1 / g[known],
                              control = glm.control(epsilon = 1e-15, maxit = 100)))
  out <- c(out, entry("slope", number(coef(fit)[[2]])))
  cox <- coxph(Surv(time, event) ~ a + b, d, ties = "efron",
               control = coxph.control(eps = 1e-14, iter.max = 100))
  breslow <- coxph(Surv(time, event) ~ a + b, d, ties = "efron", init = coef(cox),
                   control = coxph.control(iter.max = 0))
  breslow$method <- "breslow"
  curve <- survfit(breslow, newdata = data.frame(a = c(0, 1), b = c(0, -1)), stype = 2, ctype = 1)
  out <- c(out, entry("cox", number(coef(cox))),
           entry("cox_survival", number(t(summary(curve, times = fixed)$surv))))
  for (penalty in c(1, 20)) {
    ridged <- coxph(Surv(time, event) ~ ridge(a, b, theta = penalty, scale = FALSE), d,
                    control = coxph.control(eps = 1e-14, iter.max = 100, toler.inf = 1e-14))
    out <- c(out, entry(paste0("ridge_", penalty), number(coef(ridged))))
  }
  out
}

set.seed(365)
cases <- c()
for (n in c(60, 300)) for (tied in c(FALSE, TRUE)) {
  a <- rnorm(n)
  b <- rnorm(n)
  life <- rexp(n, exp(.8 * a - .4 * b))
  end <- rexp(n, .4)
  event <- as.numeric(life <= end)
  time <- pmin(life, end)
  # tied events, and censored cases half a step later: no event and censoring at one time
  if (tied) time <- ceiling(time * 8) / 8 + ifelse(event == 1, 0, 1 / 16)
  w <- if (tied) rep(1, n) else rpois(n, 1.2)
  data <- data.frame(time, event, a, b)
  facts <- c(entry("time", number(time)), entry("event", number(event)), entry("a", number(a)),
             entry("b", number(b)), entry("w", number(w)), measure(data, NULL, w))
  cases <- c(cases, paste0("{", paste(facts, collapse = ",\n"), "}"))
}
cat("[", paste(cases, collapse = ",\n"), "]\n", sep = "")
