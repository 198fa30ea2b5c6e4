/**
 * Visits to jobs, for functions that call no upstream: a signed POST to the execute door's internal
 * URL. IAM proves the caller. Bound by ADR 0110.
 */
import { Fault } from '../../core/errors.ts'
import type { JobVisits } from '../../core/ports/jobs.ts'
import { parseRecord } from './fields.ts'
import { type InternalSend, makeTracedSend } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

const JOB_PATH = '/v1/execute/job'
/** Two visits of 10 s, one that asks and one that stops the job, and a cold start. */
const JOB_TIMEOUT_MS = 25_000

export function functionUrlJobs(options: SignedSendOptions): Pick<JobVisits, 'visit'> {
  return makeJobVisits(makeSignedSend(options))
}

export function makeJobVisits(plainSend: InternalSend): Pick<JobVisits, 'visit'> {
  const send = makeTracedSend(plainSend)
  return {
    visit: async (errand) => {
      const body = new TextEncoder().encode(JSON.stringify(errand))
      const headers = { 'content-type': 'application/json' }
      const answer = await send({ path: JOB_PATH, headers, body }, { timeoutMs: JOB_TIMEOUT_MS })
      const { kind, message } = parseRecord(new TextDecoder().decode(answer.body)) ?? {}
      if (answer.status === 200 && (kind === 'none' || kind === 'ended')) return { kind }
      if (answer.status === 200 && kind === 'running') {
        // Callers of this door show a task in words, which can ask nothing.
        return {
          kind,
          asked: undefined,
          message: typeof message === 'string' ? message : undefined,
        }
      }
      throw new Fault('internal', `the execute door answered ${answer.status} about a job`)
    },
  }
}
