/**
 * Response headers that a skill may show to the model: where to go on, how many there are, how fresh an
 * answer is. A closed list, because any other header may hold a session, a token or what an upstream
 * tells its operators: Set-Cookie is in no build of it.
 */
export const SHOWABLE_HEADERS: readonly string[] = (
  'link location content-location content-range content-language content-disposition etag last-modified ' +
  'age expires deprecation sunset retry-after ' +
  'x-total-count x-total x-total-pages x-page x-per-page x-next-page x-prev-page ' +
  'ratelimit ratelimit-policy ratelimit-limit ratelimit-remaining ratelimit-reset ' +
  'x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset'
).split(' ')
