/**
 * Each audience with and without a slash at its end, because people and issuers write URLs both
 * ways. A token with either form is accepted.
 */
export function toAudienceForms(audiences: readonly string[]): readonly string[] {
  return audiences.flatMap((one) => [one, one.endsWith('/') ? one.slice(0, -1) : `${one}/`])
}
