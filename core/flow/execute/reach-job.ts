/**
 * One visit to a job's upstream outside of a call: its secrets are read anew, and it has a short
 * time of its own. Moves no money. Bound by docs/skills.md, Jobs.
 */
import { JOB_VISIT_MS } from '../../call/limits.ts'
import { MCP_ERROR_TYPE } from '../../call/upstream.ts'
import type { JobValues } from '../../request/job-skill.ts'
import { type JobAsker, type JobLook, lookAtJob, sendJobRequest } from './ask-job.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import { NO_SECRETS } from './loaded-secrets.ts'
import { redactStack } from './redacted-stack.ts'
import { TASK_ROOM } from './result-room.ts'
import { type SendStats, TIMED_OUT } from './send-once.ts'

type Visited = JobAsker['call']

/** Asks for the state of the job, and for its result when it is done. Never throws. */
export async function visitJob(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: Visited,
  values: JobValues,
): Promise<Exclude<JobLook, { readonly kind: 'cut' }>> {
  const look = await visit(ports, call, values, (asker) => lookAtJob(ports, upstreams, asker))
  return look.kind === 'cut' ? TOO_SLOW : look
}

const TOO_SLOW = {
  kind: 'unclear',
  failure: {
    code: 'upstream_failed',
    detail: `The upstream did not answer within ${JOB_VISIT_MS / 1_000} s when it was asked about the job.`,
    upstreamFault: 'unreachable',
  },
} as const

/** Hands on answers to the job's questions. False if the upstream has not taken them. */
export async function answerUpstream(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: Visited,
  { responses, values }: Required<Pick<JobAsker, 'responses' | 'values'>>,
): Promise<boolean> {
  const sent = await visit(ports, call, values, (asker) =>
    sendJobRequest(ports, upstreams, { ...asker, responses }, 'answer'),
  )
  if (sent.kind !== 'answered') return false
  const { mediaType, status } = sent.response
  return status >= 200 && status <= 299 && mediaType !== MCP_ERROR_TYPE
}

/** Sends the request that stops the job, once, if its skill has one. Never throws. */
export async function stopUpstream(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: Visited,
  values: JobValues,
): Promise<void> {
  if (call.skill.task?.job?.cancel === undefined) return
  const { callId, skill } = call
  const sent = await visit(ports, call, values, (asker) =>
    sendJobRequest(ports, upstreams, asker, 'cancel'),
  )
  const status = sent.kind === 'answered' ? sent.response.status : 0
  const isDone = status >= 200 && status <= 299
  const level = isDone ? 'info' : 'warn'
  ports.log.note(level, 'job-stopped', { callId, skillId: skill.skillId, upstreamStatus: status })
}

async function visit<Seen>(
  ports: ExecuteNeeds,
  call: Visited,
  values: JobValues,
  ask: (asker: JobAsker) => Promise<Seen>,
): Promise<Seen | Extract<JobLook, { readonly kind: 'cut' | 'unclear' }>> {
  const cut = new AbortController()
  const endAlarm = ports.clock.alarm(JOB_VISIT_MS, () => cut.abort(TIMED_OUT))
  const stats: SendStats = {
    mayHaveSent: false,
    firstAtMs: undefined,
    status: undefined,
    last: undefined,
  }
  try {
    const loaded = await call.secrets
    if (loaded?.ok === false) return { kind: 'unclear', failure: loaded.error }
    const cutAtMs = ports.clock.nowMs() + JOB_VISIT_MS
    const secrets = loaded?.value ?? NO_SECRETS
    const asking = ask({
      call,
      loaded: secrets,
      values,
      cutAtMs,
      signal: cut.signal,
      stats,
      room: TASK_ROOM,
    })
    // An upstream adapter or a hook may obey the signal slowly.
    return await Promise.race([asking, whenAborted(cut.signal)])
  } catch (cause) {
    const { callId, skill } = call
    ports.log.note('error', 'call-threw', { callId, skillId: skill.skillId }, redactStack(cause))
    const detail = 'The gateway could not ask about the job.'
    return { kind: 'unclear', failure: { code: 'internal', detail } }
  } finally {
    endAlarm()
  }
}

function whenAborted(signal: AbortSignal): Promise<{ readonly kind: 'cut' }> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'cut' }), { once: true })
  })
}
