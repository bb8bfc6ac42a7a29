# Reference numbers for tests/inference/test_case_weights.py, by R's `survey` (4.1-1, R 4.2 or
# newer): Rscript make.R. The cases are in cases.csv, which the test makes from the same formula.
library(survey)
i <- 0:59
cases <- data.frame(
  stratum = i %/% 15, unit = i %/% 5, weight = 1 + (i * 7) %% 5 + 0.5 * (i %/% 15),
  hit = as.numeric((i * 11) %% 7 < 4), loss = ((i * 13) %% 17) / 10, size = 1 + (i * 5) %% 3
)
write.csv(cases, "cases.csv", row.names = FALSE)
designs <- list(
  weights = svydesign(~1, weights = ~weight, data = cases),
  clusters = svydesign(~unit, weights = ~weight, data = cases),
  strata = svydesign(~1, strata = ~stratum, weights = ~weight, data = cases),
  both = svydesign(~unit, strata = ~stratum, weights = ~weight, data = cases, nest = TRUE)
)
out <- NULL
for (name in names(designs)) {
  for (column in c("hit", "loss")) {
    mean <- svymean(reformulate(column), designs[[name]])
    out <- rbind(out, data.frame(
      design = name, column = column, mean = as.numeric(coef(mean)), se = as.numeric(SE(mean))
    ))
  }
}
out$mean <- format(out$mean, digits = 15)
out$se <- format(out$se, digits = 15)
write.csv(out, "survey.csv", row.names = FALSE, quote = FALSE)
