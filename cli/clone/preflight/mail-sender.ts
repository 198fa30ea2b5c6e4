/**
 * Reads whether SES sends mail about events: whether the sender is verified, and whether the account
 * may write to addresses that it has not verified.
 */
import { parseEventTarget } from '../../../core/settings/event-target.ts'
import type { Stage } from '../../../lib/stage.ts'
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'
import { type Learned, learn } from './learned.ts'

type Ask = AwsAccount['ask']
type MailStage = Pick<Stage, 'eventTargets' | 'eventsFrom'>

export type MailSender = {
  /** Neither the address nor its domain is verified. */
  readonly isUnverified: boolean
  /** Recipients that SES refuses, because the account is in the sandbox. */
  readonly refused: readonly string[]
}

/** Undefined for a stage that sends no mail, which asks SES nothing. */
export async function readMailSender(
  ask: Ask,
  stage: MailStage,
): Promise<Learned<MailSender> | undefined> {
  const { eventsFrom } = stage
  const recipients = listMailRecipients(stage)
  if (eventsFrom === undefined || recipients.length === 0) return undefined
  return learn(async () => {
    const account: unknown = JSON.parse(await ask({ service: 'ses', path: '/v2/email/account' }))
    const isSandbox = Reflect.get(Object(account), 'ProductionAccessEnabled') !== true
    const refused = await Promise.all(
      recipients.map(async (to) => (isSandbox && !(await isVerified(ask, to)) ? [to] : [])),
    )
    return { isUnverified: !(await isVerified(ask, eventsFrom)), refused: refused.flat() }
  })
}

export function listMailRecipients({ eventTargets }: Pick<Stage, 'eventTargets'>) {
  const addresses = eventTargets.flatMap((text) => {
    const target = parseEventTarget(text)
    return target?.kind === 'email' ? [target.to] : []
  })
  return [...new Set(addresses)]
}

/** SES takes an address that is an identity, and every address of a domain that is one. */
async function isVerified(ask: Ask, address: string): Promise<boolean> {
  const domain = address.slice(address.indexOf('@') + 1)
  return (await isIdentity(ask, address)) || (await isIdentity(ask, domain))
}

async function isIdentity(ask: Ask, name: string): Promise<boolean> {
  try {
    const path = `/v2/email/identities/${encodeURIComponent(name)}`
    const identity: unknown = JSON.parse(await ask({ service: 'ses', path }))
    return Reflect.get(Object(identity), 'VerifiedForSendingStatus') === true
  } catch (cause) {
    if (cause instanceof ServiceError && cause.code === 'NotFoundException') return false
    throw cause
  }
}
