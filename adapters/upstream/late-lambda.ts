/**
 * What a process needs to invoke functions of skills. This file is a chunk of its own in the
 * bundle, loaded with the first such call, which also reads region and credentials.
 */
import type { Upstream, UpstreamPreviews } from '../../core/ports/outside.ts'
import { readProcessConfig } from '../config/env.ts'
import { makeLambdaCalls } from './lambda-calls.ts'
import { makeLambdaPreviews } from './lambda-previews.ts'
import { lambdaUpstream } from './lambda-upstream.ts'

export type LambdaParts = { readonly upstream: Upstream; readonly previews: UpstreamPreviews }

/** Throws an error that names what the environment lacks. */
export function createLambdaParts(): LambdaParts {
  const calls = makeLambdaCalls(readProcessConfig(['lambda']).lambda)
  return { upstream: lambdaUpstream(calls), previews: makeLambdaPreviews(calls) }
}

/**
 * For the twin, whose terminal may lack credentials: then each call is refused with the variables
 * to set.
 */
export function createLambdaPartsOfTerminal(): LambdaParts {
  try {
    return createLambdaParts()
  } catch {
    // The error lists variables of functions; the rule below says the same in words of a laptop.
    return {
      upstream: { send: async () => ({ kind: 'refused_target', detail: NO_CREDENTIALS }) },
      previews: {
        target: async ({ url }) => ({
          origin: url,
          allowed: false,
          rule: NO_CREDENTIALS,
          addresses: [],
        }),
        head: async () => ({ ok: false, error: NO_CREDENTIALS }),
      },
    }
  }
}

const NO_CREDENTIALS =
  'it is a Lambda function, and npm start has no credentials of AWS; start it with AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (aws configure export-credentials --format env), and AWS_ENDPOINT_URL_LAMBDA for an emulator'
