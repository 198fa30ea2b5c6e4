/**
 * Contract of the port Jobs: a question is claimed by one caller in each interval, until the job has ended. Bound
 * by ADR 0110.
 */
import { describe, expect, test } from 'vitest'
import type { NewJob } from '../../core/ports/jobs.ts'
import { atOnce, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

function jobOf(nowMs: number): NewJob {
  return {
    callId: freshHash(),
    uid: 'u-1',
    keyHash: 'key-1',
    username: 'ada',
    skillId: 'draw',
    source: 'private',
    skillUid: 'u-1',
    version: 3,
    startedAtMs: nowMs,
    deadlineMs: nowMs + 3_600_000,
    pollMs: 10_000,
    values: { id: 'j/1' },
    message: 'queued',
    facts: { keyId: 'key-1', door: 'mcp', phases: { auth: 1 } },
    taskHash: freshHash(),
    worker: 'worker-1',
    revision: '2026-07-28',
    toolName: 'ada_draw',
    resultKey: 'the-key',
    sealedKey: new Uint8Array([1, 2]),
  }
}

export function describeJobs(name: string, makePorts: MakePorts): void {
  describe(`${name}: jobs`, () => {
    const opened = openedPorts(makePorts)

    async function created() {
      const { clock, jobs } = opened()
      const nowMs = clock.nowMs()
      const job = jobOf(nowMs)
      await jobs.create(job)
      const { callId } = job
      const due = { callId, nowMs: nowMs + 10_000, nextAtMs: nowMs + 20_000 }
      return { due, job, jobs, nowMs, callId }
    }

    test('a job that was created is read, with its first question after an interval', async () => {
      const { callId, job, jobs, nowMs } = await created()
      const stored = { ...job, nextAtMs: nowMs + 10_000, errors: 0, asked: undefined }
      expect(await jobs.read(callId)).toEqual(stored)
      expect(await jobs.read(freshHash())).toBeUndefined()
    })

    test('of 20 claims of a question one succeeds, and none before its time', async () => {
      const { due, job, jobs } = await created()
      expect(await jobs.claim({ ...due, nowMs: due.nowMs - 1 })).toBeUndefined()
      const claims = await atOnce(20, () => jobs.claim(due))
      const claimed = claims.filter((one) => one !== undefined)
      expect(claimed).toEqual([{ ...job, nextAtMs: due.nextAtMs, errors: 0, asked: undefined }])
    })

    test('a note stays until the next one', async () => {
      const { callId, jobs } = await created()
      await jobs.note({
        callId,
        errors: 2,
        message: undefined,
        asked: { q: { method: 'roots/list' } },
      })
      expect(await jobs.read(callId)).toMatchObject({
        errors: 2,
        message: undefined,
        asked: { q: { method: 'roots/list' } },
      })
      await jobs.note({ callId, errors: 0, message: 'half', asked: undefined })
      expect(await jobs.read(callId)).toMatchObject({
        errors: 0,
        message: 'half',
        asked: undefined,
      })
    })

    test('a job that has ended is asked about no more, and loses its key', async () => {
      const { callId, due, job, jobs } = await created()
      await jobs.close(callId)
      await jobs.close(callId)
      expect(await jobs.claim(due)).toBeUndefined()
      await jobs.note({ callId, errors: 1, message: 'late', asked: undefined })
      await jobs.create(job)
      expect(await jobs.read(callId)).toMatchObject({
        resultKey: undefined,
        message: 'queued',
        sealedKey: new Uint8Array([1, 2]),
      })
    })

    test('notes and ends of an unknown job make none', async () => {
      const { jobs } = opened()
      const callId = freshHash()
      await jobs.note({ callId, errors: 1, message: 'x', asked: undefined })
      await jobs.close(callId)
      expect(await jobs.read(callId)).toBeUndefined()
    })
  })
}
