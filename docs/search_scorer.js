/* How the results of a search are ordered: guides first, pages of development last.
 *
 * The numbers are Sphinx's own, and `score` moves what they give. A guide that has the word in its
 * text comes before names of the API of which the word is a part, and after a name that is the word.
 * Pages of development have the same words as guides; whoever looks for how something is used wants
 * them after everything else. Decisions are not searched at all (docs/_extensions/unsearched.py).
 * docs/check_search.py asks a built site.
 */
var Scorer = {
  score: ([docname, title, anchor, description, score]) => {
    if (docname.startsWith("development/")) return score - 1000;
    if (/^(tutorials|how-to|explanation)\//.test(docname)) return score + 8;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
