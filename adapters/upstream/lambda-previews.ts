/**
 * Shows what an invocation would send, and asks Lambda whether the gateway's role may make it, by
 * an invocation of the type DryRun, which runs nothing and costs nothing.
 */
import type { TargetVerdict } from '../../core/call/upstream.ts'
import { ok } from '../../core/errors.ts'
import type { UpstreamPreviews } from '../../core/ports/outside.ts'
import { toFunctionOrigin } from '../../core/skills/lambda-target.ts'
import type { LambdaTarget } from '../../core/skills/skill.ts'
import type { HttpAnswer } from '../aws/exchange.ts'
import { makeServiceError } from '../aws/signed/service-error.ts'
import type { LambdaCalls } from './lambda-calls.ts'
import { describeRefusal } from './lambda-failures.ts'

/** A host of AWS that takes longer would also fail a call. */
export const CHECK_MS_MAX = 5_000

export function makeLambdaPreviews(calls: LambdaCalls): UpstreamPreviews {
  return {
    target: async ({ lambda, url }) => {
      if (lambda === undefined)
        return { origin: url, allowed: false, rule: 'names no function', addresses: [] }
      return { origin: toFunctionOrigin(lambda), ...(await check(calls, lambda)), addresses: [] }
    },
    head: async ({ lambda, url }) => {
      const shown = lambda === undefined ? url : calls.urlOf(lambda).href
      return ok({ url: shown, headers: HEADERS })
    },
  }
}

const HEADERS = [
  ['content-type', 'application/json'],
  ['x-amz-invocation-type', 'RequestResponse'],
] as const

type Check = Pick<TargetVerdict, 'allowed' | 'rule'>

async function check(calls: LambdaCalls, target: LambdaTarget): Promise<Check> {
  const signal = AbortSignal.timeout(CHECK_MS_MAX)
  try {
    const answer = await calls.invoke({ target, kind: 'DryRun', event: undefined, signal })
    return answer.status === 204 || answer.status === 200 ? ALLOWED : explain(answer, target)
  } catch {
    // Whatever the cause is, a call would not reach Lambda either.
    return { allowed: false, rule: `Lambda did not answer at ${calls.urlOf(target).origin}` }
  }
}

const ALLOWED: Check = {
  allowed: true,
  rule: 'Lambda says that the role of the gateway may invoke the function',
}

/** For administrators: names the permission, the function and the field of the stage. */
function explain(answer: HttpAnswer, { functionName, qualifier }: LambdaTarget): Check {
  const { name } = makeServiceError({}, answer)
  if (name !== 'AccessDeniedException') {
    const rule = describeRefusal(answer).detail.replace(/\.$/, '')
    return { allowed: false, rule }
  }
  const named = qualifier === undefined ? functionName : `${functionName}:${qualifier}`
  return {
    allowed: false,
    rule: `the role of the gateway lacks lambda:InvokeFunction on ${named}; add ${JSON.stringify(functionName)} to lambdaUpstreams of the stage and deploy, and let a function of another account allow it in its resource policy`,
  }
}
