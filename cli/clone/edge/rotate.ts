/**
 * Implements `skillgate edge rotate`: a new value by which the edge proves itself to the doors. No
 * request is refused meanwhile, and a run that was broken off is finished by the next one.
 *
 *   step              secret                 doors accept      distribution sends
 *                     {A}                    A                 A
 *   1 write           {B, previous A}        A and B           A
 *   2 pause           …                      A and B           A
 *   3 update          …                      A and B           A here, B there
 *   4 wait            …                      A and B           B
 *   5 write           {B}                    B, within 5 min   B
 *
 * A door that gets a value which it does not know reads the secret again, at most every 10 s; step 2
 * is longer. After a break-off `previous` is there, and the next run begins at step 2 with B. Steps
 * 1 and 5 replace only the version that was read, and step 3 only the configuration that was read
 * before the secret, so of two runs at once one fails and says so, or both do the same. A deploy at
 * any time sends `current`, which every door accepts.
 */
import { randomInt } from 'node:crypto'
import { ORIGIN_SECRET_RECHECK_MS } from '../../../adapters/secrets/limits.ts'
import { type AwsAccount, openAwsAccount } from '../../aws/ask-service.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause } from '../program.ts'
import { isDeployed, readDistribution, updateDistribution } from './distribution.ts'
import { type EdgeOutputs, readEdgeOutputs } from './edge-outputs.ts'
import { readSecretVersion, replaceSecretVersion, type SecretVersion } from './secret-versions.ts'

/** Longer than a door keeps values that it doubts, by what Secrets Manager may take to spread one. */
const DOORS_PAUSE_MS = ORIGIN_SECRET_RECHECK_MS + 5_000
/** CloudFront takes 3 to 15 minutes. */
const POLL_PAUSE_MS = 10_000
const POLLS_MAX = 180
/** 256 bits in letters and digits. */
const VALUE_CHARS = 43
const CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export type Pause = (ms: number) => Promise<void>

/** Prints each step. Fails with one line that says what to do. */
export async function rotateEdgeSecret(
  stage: string,
  shell: Shell,
  pause: Pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<ExitCode> {
  try {
    const account = await openAwsAccount(shell.env)
    await rotate(account, await readEdgeOutputs(account, stage), { pause, say: toSay(shell) })
    return EXIT.ok
  } catch (cause) {
    shell.err.write(`${describeCause(cause)}\n`)
    return EXIT.failed
  }
}

type Progress = { readonly pause: Pause; readonly say: (line: string) => void }

async function rotate(account: AwsAccount, edge: EdgeOutputs, { pause, say }: Progress) {
  const { distributionId, secretId } = edge
  await beginRotation(account, secretId, say)
  await pause(DOORS_PAUSE_MS)
  const sent = await sendCurrent(account, edge, say)
  await waitUntilDeployed(account, distributionId, { pause, say })
  await endRotation(account, edge, sent)
  say('The doors refuse the old value within five minutes.')
}

/** Step 1, unless an earlier run did it. */
async function beginRotation(
  account: AwsAccount,
  secretId: string,
  say: Progress['say'],
): Promise<void> {
  const from = await readSecretVersion(account, secretId)
  if (from.previous !== undefined) {
    say('A rotation was broken off; this run finishes it.')
    return
  }
  const to = { current: drawValue(), previous: from.current }
  await replaceSecretVersion(account, secretId, { from, to })
  say('The doors accept the old value and a new one.')
}

/** Step 3. Returns the version whose value the distribution sends. */
async function sendCurrent(
  account: AwsAccount,
  { distributionId, secretId }: EdgeOutputs,
  say: Progress['say'],
): Promise<SecretVersion> {
  const config = await readDistribution(account, distributionId)
  const secret = await readSecretVersion(account, secretId)
  if (config.sent.some((value) => value !== secret.current)) {
    await updateDistribution(account, distributionId, config, secret.current)
  }
  say(`Distribution ${distributionId} is told to send the new value.`)
  return secret
}

/** Step 5, unless the old value may still be sent, or another run did it. */
async function endRotation(
  account: AwsAccount,
  { distributionId, secretId }: EdgeOutputs,
  { current }: SecretVersion,
): Promise<void> {
  const config = await readDistribution(account, distributionId)
  const from = await readSecretVersion(account, secretId)
  if (from.current !== current || config.sent.some((value) => value !== current)) {
    throw new Error('another rotation has begun meanwhile; run this again to finish it')
  }
  if (from.previous !== undefined) {
    await replaceSecretVersion(account, secretId, { from, to: { current } })
  }
}

async function waitUntilDeployed(
  account: AwsAccount,
  id: string,
  { pause, say }: Progress,
): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    if (await isDeployed(account, id)) {
      say('It sends the new value everywhere.')
      return
    }
    await pause(POLL_PAUSE_MS)
  }
  throw new Error(`distribution ${id}: is not deployed after 30 minutes; run this again later`)
}

function drawValue(): string {
  return Array.from({ length: VALUE_CHARS }, () => CHARS[randomInt(CHARS.length)]).join('')
}

function toSay({ out }: Shell): (line: string) => void {
  return (line) => out.write(`${line}\n`)
}
