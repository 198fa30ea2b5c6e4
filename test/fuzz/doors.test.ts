/**
 * The doors under odd requests: correct ones with parts changed, broken, doubled, too long, or left
 * out. No input may crash a door, be answered twice or not at all, move money wrongly, or reveal
 * another's data. The short form has a fixed seed; the long one is this file with more inputs:
 *
 *   FUZZ_RUNS=100000 npx vitest run --project fuzz test/fuzz
 *   FUZZ_SEED=1234 FUZZ_RUNS=1 …                         the round that a failure names
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mcpRequests } from './odd-mcp.ts'
import { executeRequests, messageRequests, type OddRequest, openRequests } from './odd-requests.ts'
import { type Change, runRequests, type SeenStatuses } from './run-requests.ts'
import { WRONG_DOORS } from './wrong-doors.ts'
import { WRONG_MCP_DOORS } from './wrong-mcp-doors.ts'

const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** Inputs of the door mcp, and of all others together. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
/**
 * From this many inputs on, every status that a test names must have come up; one round has fewer.
 */
const ENOUGH_INPUTS = 200
/**
 * From this many on also the rare ones of the door mcp, which has more kinds of answers than the
 * others.
 */
const MANY_INPUTS = 20_000
const RARE_OVER_MCP = [204, 404, 413, 415, 431, -32601, -32022]
/** A wrong door must be detected within this many inputs; most need fewer than a hundred. */
const WRONG_RUNS_MAX = 2_000
/** The limit for one input, on a busy machine too. */
const MS_PER_RUN_MAX = 25
const SHRINK_MS_MAX = 30_000

/** The most requests to one gateway. */
const REQUESTS_MAX = 40
/**
 * Gateways of a round. Each round has a seed of its own, so that a failure can be repeated quickly.
 */
const GATEWAYS = 10

type FuzzResult = { readonly inputs: number; readonly seen: SeenStatuses }

/** For a wrong door (`change`) the failing request is not shrunk. */
async function fuzz(
  requests: fc.Arbitrary<OddRequest>,
  inputsMin: number,
  change?: Change,
): Promise<FuzzResult> {
  const statuses: SeenStatuses = new Map()
  const runs = fc.array(requests, { minLength: 1, maxLength: REQUESTS_MAX, size: 'max' })
  let inputs = 0
  for (let seed = FIRST_SEED; inputs < inputsMin; seed += 1) {
    const property = fc.asyncProperty(runs, async (batch) => {
      inputs += batch.length
      await runRequests(batch, statuses, change)
    })
    await fc.assert(property, {
      seed,
      numRuns: GATEWAYS,
      includeErrorInReport: true,
      endOnFailure: change !== undefined,
      interruptAfterTimeLimit: GATEWAYS * REQUESTS_MAX * MS_PER_RUN_MAX + SHRINK_MS_MAX,
      markInterruptAsFailure: true,
    })
  }
  return { inputs, seen: statuses }
}

describe('random requests', () => {
  test.each([
    [
      'POST /v1/execute',
      executeRequests,
      RUNS * 0.55,
      [200, 400, 401, 402, 404, 413, 415, 422, 429, 502],
    ],
    ['POST /v1/mcp/messages', messageRequests, RUNS * 0.35, [202, 400, 404, 413, 415]],
    [
      'POST /mcp',
      mcpRequests,
      RUNS,
      [200, 202, 400, 401, 403, 405, -32700, -32600, -32602, -32020, -32004, -31004],
    ],
    ['GET /v1/mcp/sse', openRequests, RUNS * 0.1, [200, 401, 403, 404, 405, 431]],
  ] as const)(
    'to %s are answered once each, with a due status',
    async (_, requests, inputsMin, statuses) => {
      const { inputs, seen } = await fuzz(requests, inputsMin)
      expect(inputs).toBeGreaterThanOrEqual(inputsMin)
      const rare = inputs < MANY_INPUTS || requests !== mcpRequests ? [] : RARE_OVER_MCP
      const due = inputs < ENOUGH_INPUTS ? [] : [...statuses, ...rare]
      expect(due.filter((status) => !seen.has(status))).toEqual([])
    },
    60_000 + RUNS * MS_PER_RUN_MAX,
  )
})

describe('a wrong function', () => {
  test.each(WRONG_DOORS)(
    'a function $name is detected',
    async ({ change, foundBy }) => {
      const found = fuzz(fc.oneof(executeRequests, messageRequests), WRONG_RUNS_MAX, change)
      await expect(found).rejects.toThrow(foundBy)
    },
    60_000,
  )

  test.each(WRONG_MCP_DOORS)(
    'an MCP function $name is detected',
    async ({ change, foundBy }) => {
      await expect(fuzz(mcpRequests, WRONG_RUNS_MAX, change)).rejects.toThrow(foundBy)
    },
    60_000,
  )
})
