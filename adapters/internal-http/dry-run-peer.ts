/**
 * Dry runs of the execute door for the admin function: a signed POST to the door's internal URL,
 * which serves only that role. Bound by ADR 0054.
 */
import type { DryRunReport } from '../../core/call/dry-run.ts'
import type { Problem } from '../../core/call/execute.ts'
import { err, Fault, ok, type Refusal } from '../../core/errors.ts'
import type { DryRuns } from '../../core/ports/sessions.ts'
import { readExecuteAnswer } from './execute-answer.ts'
import { isRecord, parseRecord } from './fields.ts'
import { type InternalAnswer, type InternalSend, makeTracedSend } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

const DRY_RUN_PATH = '/v1/execute/dry-run'
/** The 15 s of a call, a cold start and a slow store; API Gateway waits 29 s. */
const DRY_RUN_TIMEOUT_MS = 24_000

export function functionUrlDryRuns(options: SignedSendOptions): DryRuns {
  return makeDryRuns(makeSignedSend(options))
}

export function makeDryRuns(plainSend: InternalSend): DryRuns {
  const send = makeTracedSend(plainSend)
  return {
    run: async (order) => {
      const body = new TextEncoder().encode(JSON.stringify(order))
      const headers = { 'content-type': 'application/json' }
      const answer = await send(
        { path: DRY_RUN_PATH, headers, body },
        { timeoutMs: DRY_RUN_TIMEOUT_MS },
      )
      if (answer.status === 200) return ok(readReport(answer))
      const refused = readExecuteAnswer(answer)
      if (refused.kind === 'problem') return err(toRefusal(refused.body))
      throw new Fault('internal', 'the execute door answered a dry run in an unknown shape')
    },
  }
}

/** The peer may be of another deployment, so the members that every report has are checked. */
function readReport({ body }: InternalAnswer): DryRunReport {
  const fields = parseRecord(new TextDecoder().decode(body))
  if (fields !== undefined && isReport(fields)) return fields
  throw new Fault('internal', 'the execute door answered a dry run in an unknown shape')
}

function isReport(fields: object): fields is DryRunReport {
  const { breaker, hookRequests, mapping, problems, secrets, target } = fields as Record<
    keyof DryRunReport,
    unknown
  >
  const lists = [hookRequests, problems, secrets].every(Array.isArray)
  return lists && [breaker, mapping, target].every(isRecord)
}

function toRefusal({ code, detail, errors, retryAfterSec }: Problem): Refusal {
  return {
    code,
    detail,
    ...(errors === undefined ? {} : { faults: errors }),
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
  }
}
