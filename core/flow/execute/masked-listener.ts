/**
 * What an MCP server says to the caller's client while a call runs, without the secrets of the
 * call: its progress, and its questions.
 */
import { isJsonObject } from '../../json/json.ts'
import type { UpstreamListener } from '../../ports/outside.ts'
import { toQuote } from '../../response/failure-text.ts'
import { type Mask, maskJson } from '../../response/mask.ts'

export function maskListener(
  { asker, onProgress }: UpstreamListener,
  mask: Mask,
): UpstreamListener {
  return {
    ...(asker === undefined
      ? {}
      : {
          asker: {
            ...asker,
            ask: ({ method, params }) =>
              asker.ask({ method, params: isJsonObject(params) ? maskJson(params, mask) : {} }),
          },
        }),
    ...(onProgress === undefined
      ? {}
      : {
          onProgress: ({ message, ...numbers }) => {
            const said = message === undefined ? '' : toQuote(message, mask)
            onProgress({ ...numbers, ...(said === '' ? {} : { message: said }) })
          },
        }),
  }
}
