/**
 * Kept results on AWS, in the archive's bucket. A chunk of its own in the bundle, loaded with the
 * first result that is kept or read.
 */
import { makeS3KeptResults } from '../../adapters/archive/s3-kept-results.ts'
import type { Config } from '../../adapters/config/config.ts'
import type { KeptResults } from '../../core/ports/kept-results.ts'
import type { Clock, Digests } from '../../core/ports/outside.ts'

type Needs = { readonly clock: Clock; readonly digests: Pick<Digests, 'sha256'> }

export function createKeptResults(
  { credentials, ...bucket }: Config['archive'],
  { clock, digests }: Needs,
): KeptResults {
  const place = { ...bucket, clock, credentials: async () => credentials }
  return makeS3KeptResults(place, { clock, digests })
}
