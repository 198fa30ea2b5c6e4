/** Reads of kept results and of what upstreams hold, for a function that reads neither. */
import type { Credential } from '../access/credential.ts'
import type { Result } from '../errors.ts'
import type { Asked } from '../mcp/intent.ts'
import type { Reading } from '../mcp/revision.ts'

export type HandedRead =
  | { readonly kind: 'resource'; readonly uri: string }
  | Extract<Asked, { kind: 'prompt' }>

export type HandedReads = {
  /**
   * What the caller of this credential may read. Refuses with `not_found` what is not there or may
   * not be seen, and as the port McpReadings does. Throws `Fault` if the function that reads does
   * not answer.
   */
  read(credential: Credential, asked: HandedRead): Promise<Result<Reading>>
}
