/**
 * Counts the polls of each task in this process, and refuses those over TASK_POLLS_PER_SEC before
 * they read the store. Another process counts its own: a client reaches several only with polls at
 * the same time. Bound by docs/service.md, Tasks.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { ok, type Result, refuse } from '../../errors.ts'

/** Polls of one task by one key in a second: twenty times what its answers suggest. */
export const TASK_POLLS_PER_SEC = 10
/** Tasks whose polls a process counts, about 2 MB. The oldest count is dropped first. */
export const POLLED_TASKS_MAX = 10_000
const SEC_MS = 1_000

export type TaskPolls = {
  /**
   * Counts a poll at `nowMs`, in the second that began with the first one. Refuses with
   * `rate_limited`. Only a hash of the task's id and of the key keeps polls of other keys apart.
   */
  count(poll: { keyHash: string; hash: string; nowMs: number }): Result<undefined>
}

export function createTaskPolls(): TaskPolls {
  const seconds = new Map<string, { readonly sinceMs: number; polls: number }>()
  return {
    count: ({ hash, keyHash, nowMs }) => {
      const name = `${keyHash} ${hash}`
      const second = seconds.get(name)
      if (second === undefined || nowMs - second.sinceMs >= SEC_MS || nowMs < second.sinceMs) {
        keepYoungest(seconds, name, { sinceMs: nowMs, polls: 1 }, POLLED_TASKS_MAX)
        return ok(undefined)
      }
      if (second.polls >= TASK_POLLS_PER_SEC) return refuse('rate_limited', TOO_OFTEN)
      second.polls += 1
      return ok(undefined)
    },
  }
}

const TOO_OFTEN = `tasks/get is answered ${TASK_POLLS_PER_SEC} times a second for a task. Wait pollIntervalMs between two requests; the task goes on meanwhile.`
