// The order of search results: pages to read come before names of the API, decisions, tables of studies and the changelog.
var Scorer = {
  score: function ([page, , , , score]) {
    if (/^(CHANGELOG|docs\/(why|contributing)\/|docs\/reference\/command)|^(bench|examples)\//.test(page)) return score - 8;
    return /^docs\/(tutorials|studies)\//.test(page) ? score : score + 1;
  },
  objNameMatch: 11,
  objPartialMatch: 1,
  objPrio: { 0: 5, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 10,
  term: 5,
  partialTerm: 2,
};
