/**
 * Computes what a million tasks cost: calls that go on behind their answer, and are asked about
 * until they end. A task of the first kind keeps its invocation, and its memory, for all its time.
 * A job of an upstream keeps nothing: each question about it is a short request. Pure. The units
 * follow from the writes of core/flow and the sizes of the records (docs/data-model.md).
 */
import {
  type CostItem,
  type Costing,
  computeCost,
  computeLambdaUsd,
  computeOwnMs,
  type FunctionUse,
  sumItems,
  type Units,
} from './model.ts'

/** Seconds between two polls of a client, as answers suggest; a test compares it. */
export const POLL_SEC = 2
/**
 * Seconds between two questions about a job, unless its skill says otherwise; a test compares it.
 */
export const QUESTION_SEC = 10
/** Head of the task, its end with a result of about 1 kB, and the sweep entry of its deadline. */
const TASK_UNITS: Units = { writeUnits: 4, readUnits: 0 }
/** A worker renews its lease so often; the head is below 1 kB. */
const RENEWAL_SEC = 30
/** A poll reads the head, strongly consistent; that of a job its record, too. */
const POLL_UNITS: Units = { writeUnits: 0, readUnits: 1 }
const JOB_POLL_UNITS: Units = { writeUnits: 0, readUnits: 2 }
/**
 * The record of a job has 1 to 2 kB: it is created and closed. Its task gets a longer lease once.
 */
const JOB_UNITS: Units = { writeUnits: 5, readUnits: 0 }
/** Its claim; the record, the version of the skill, the profile. */
const QUESTION_UNITS: Units = { writeUnits: 2, readUnits: 3 }
/** Bytes of an answer to tasks/get while the task works. */
const POLL_BYTES = 900
/** A job takes its user's profile and its head once more when it ends. */
const JOB_END_UNITS: Units = { writeUnits: 0, readUnits: 2 }

const BYTES_PER_GB = 1e9
const MILLION = 1e6

export type TaskBill = { readonly task: readonly CostItem[]; readonly job: readonly CostItem[] }

/** Returns the price of a million tasks of `taskSec` seconds, by item, for both kinds. */
export function computeTaskBill(taskSec: number, costing: Costing): TaskBill {
  const called = { ...costing, mix: { ...costing.mix, upstreamMs: 0 } }
  const call = {
    item: 'the call, until it is a task',
    usdPerMillion: sumItems(computeCost('mcp', called)),
  }
  const polls = taskSec / POLL_SEC
  const questions = taskSec / QUESTION_SEC
  const renewals = { writeUnits: Math.floor(taskSec / RENEWAL_SEC), readUnits: 0 }
  const heldUsd = computeLambdaUsd(taskSec * 1_000, costing.memoryMb.mcp, costing.prices.usd)
  const askedMs = questions * costing.mix.upstreamMs
  const askedUsd = computeLambdaUsd(askedMs, costing.memoryMb.mcp, costing.prices.usd)
  return {
    task: [
      call,
      toItem('Lambda time behind the answer', heldUsd),
      toItem('its records', toUsd(costing, [TASK_UNITS, renewals])),
      toItem('polls, one each 2 s', polls * computePollUsd(costing, POLL_UNITS)),
    ],
    job: [
      call,
      toItem('Lambda time behind the answer', 0),
      toItem('its records', toUsd(costing, [TASK_UNITS, JOB_UNITS, JOB_END_UNITS])),
      toItem('polls, one each 2 s', polls * computePollUsd(costing, JOB_POLL_UNITS)),
      toItem(
        `questions to the upstream, one each ${QUESTION_SEC} s`,
        questions * toUsd(costing, [QUESTION_UNITS]) + askedUsd,
      ),
    ],
  }
}

/** Lines of Markdown: the items of both kinds, and their sums. */
export function formatTaskBill(taskSec: number, { job, task }: TaskBill): readonly string[] {
  const rows = job.map(({ item, usdPerMillion }) => {
    const same = task.find((one) => one.item === item)?.usdPerMillion ?? 0
    return `| ${item} | ${same.toFixed(2)} | ${usdPerMillion.toFixed(2)} |`
  })
  const sums = [task, job].map((items) => `**${sumItems(items).toFixed(2)}**`)
  return [
    `| $, a million tasks of ${taskSec} s | in one invocation | job of an upstream |`,
    '| --- | ---: | ---: |',
    ...rows,
    `| **sum** | ${sums.join(' | ')} |`,
  ]
}

/** A poll takes about what a refused call takes: a request, a key from the cache, one read. */
function computePollUsd(costing: Costing, units: Units): number {
  const { memoryMb, prices, ways } = costing
  const { usd } = prices
  const uses: readonly FunctionUse[] = ways.mcp.refused
  const lambdaUsd = uses.reduce((sum, use) => {
    const ms = computeOwnMs(use, costing)
    const requestUsd = (use.invocations * usd.lambdaPerMillionRequests) / MILLION
    return sum + requestUsd + computeLambdaUsd(ms, memoryMb[use.door], usd)
  }, 0)
  return lambdaUsd + toUsd(costing, [units]) + (POLL_BYTES * usd.transferOutPerGb) / BYTES_PER_GB
}

/** The records of tasks are in the Sessions table, which is on demand. */
function toUsd({ prices: { usd } }: Costing, all: readonly Units[]): number {
  return all.reduce(
    (sum, { readUnits, writeUnits }) =>
      sum + (writeUnits * usd.writePerMillionUnits + readUnits * usd.readPerMillionUnits) / MILLION,
    0,
  )
}

function toItem(item: string, usd: number): CostItem {
  return { item, usdPerMillion: usd * MILLION }
}
