import { expect, test } from 'vitest'
import {
  createTaskPolls,
  POLLED_TASKS_MAX,
} from '../../../../core/flow/streamable-http/task-polls.ts'

const polled = (polls: ReturnType<typeof createTaskPolls>, hash: string, nowMs: number) =>
  polls.count({ keyHash: 'ada', hash, nowMs }).ok

test('ten polls of a task are counted in a second, and the eleventh is refused until it is over', () => {
  const polls = createTaskPolls()
  for (let n = 1; n <= 10; n += 1) expect(polled(polls, 'a', 5_000 + n * 90)).toBe(true)
  expect(polled(polls, 'a', 6_089)).toBe(false)
  expect(polled(polls, 'b', 6_089)).toBe(true)
  expect(polls.count({ keyHash: 'bob', hash: 'a', nowMs: 6_089 }).ok).toBe(true)
  expect(polled(polls, 'a', 6_090)).toBe(true)
})

test('a clock that was set back starts another second', () => {
  const polls = createTaskPolls()
  for (let n = 1; n <= 10; n += 1) expect(polled(polls, 'a', 5_000)).toBe(true)
  expect(polled(polls, 'a', 4_999)).toBe(true)
})

test('polls of 10,000 tasks are counted at once, and the oldest is dropped for one more', () => {
  const polls = createTaskPolls()
  for (let n = 1; n <= 10; n += 1) polled(polls, 'first', 0)
  for (let n = 1; n < POLLED_TASKS_MAX; n += 1) polled(polls, `t${n}`, 0)
  expect(polled(polls, 'first', 1)).toBe(false)
  polled(polls, 'one more', 1)
  expect(polled(polls, 'first', 1)).toBe(true)
})
