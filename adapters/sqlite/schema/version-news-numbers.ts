/**
 * News of outcomes without AUTOINCREMENT, which writes a second row for each call. Numbers only grow all the
 * same: the newest row that was taken stays, without a call.
 */
export const NEWS_NUMBERS = `
CREATE TABLE outcome_news_by_row (
  seq INTEGER PRIMARY KEY, uid TEXT NOT NULL, callId TEXT NOT NULL
) STRICT;
INSERT INTO outcome_news_by_row (seq, uid, callId) SELECT seq, uid, callId FROM outcome_news;
DROP TABLE outcome_news;
ALTER TABLE outcome_news_by_row RENAME TO outcome_news;
`
