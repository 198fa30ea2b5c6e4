/**
 * Posts events to an incoming webhook of Slack, or of a service that takes the same body. The URL
 * is a secret, and no error of this file has a part of it. Names are escaped, so that none links or
 * calls a channel. Bound by docs/notices.md and https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
import type { UpstreamAnswer, UpstreamResponse } from '../../core/call/upstream.ts'
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import type { EventRecord } from '../../core/events/event.ts'
import { writeNotice } from '../../core/events/notice.ts'
import type { DeliveryError, EventTarget } from '../../core/ports/ledger.ts'
import type { Upstream } from '../../core/ports/outside.ts'

export const SLACK_TIMEOUT_MS = 5_000
export const SLACK_ANSWER_BYTES_MAX = 65_536
/** Slack's limits of the text of a section and of a header. */
export const SLACK_SECTION_CHARS_MAX = 3_000
export const SLACK_HEADER_CHARS_MAX = 150
/** No user has this id, so no user's request shares a connection with an event. */
const SENDER = '-events'

export type SlackOptions = {
  readonly upstream: Upstream
  /** Reads the URL. Throws a `Fault` if it cannot be read. */
  readonly readUrl: () => Promise<string>
}

export function makeSlackTarget({ readUrl, upstream }: SlackOptions): Pick<EventTarget, 'deliver'> {
  return {
    deliver: async (event) => {
      const url = await readSafely(readUrl)
      if (!url.ok) return url
      const signal = AbortSignal.timeout(SLACK_TIMEOUT_MS)
      const limits = { responseBytesMax: SLACK_ANSWER_BYTES_MAX, signal, uid: SENDER }
      const request = {
        method: 'POST',
        url: url.value,
        headers: { 'content-type': 'application/json', 'user-agent': 'skillgate-events' },
        body: writeSlackBody(event),
        // A redirect to another host gets neither the event nor the path, which is the secret.
        sensitive: { headers: [], query: true, body: true },
      } as const
      return readOutcome(await upstream.send(request, limits))
    },
  }
}

/** The reader's message names the secret and what is wrong with it, never a value. */
async function readSafely(readUrl: SlackOptions['readUrl']): Promise<Result<string, string>> {
  try {
    const url = await readUrl()
    return /^https?:\/\/\S+$/.test(url)
      ? ok(url)
      : err('the secret has no URL of a webhook; write {"current":"https://…"}')
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return err(`the URL of the webhook could not be read: ${cause.message}`)
  }
}

/** `text` is for notifications and for services without blocks. */
export function writeSlackBody(event: EventRecord): string {
  const { lines, subject } = writeNotice(event)
  const title = escapeMarkup(subject).slice(0, SLACK_HEADER_CHARS_MAX)
  const body = lines.map(escapeMarkup).join('\n').slice(0, SLACK_SECTION_CHARS_MAX)
  return JSON.stringify({
    text: `${title}\n${body}`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: body, verbatim: true } },
      {
        type: 'context',
        elements: [{ type: 'plain_text', text: `Event ${event.eventId}`, emoji: false }],
      },
    ],
  })
}

/**
 * Slack's three signs, which begin links and mentions such as `<!channel>`; and the signs that other
 * services and Slack's own formatting read, followed or replaced so that they stay text.
 */
function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=\w)/g, '@\u200b')
    .replace(/[*_~`]/g, (sign) => `${sign}\u200b`)
}

function readOutcome(answer: UpstreamAnswer): Result<'delivered', DeliveryError> {
  switch (answer.kind) {
    case 'answered':
      return readAnswer(answer.response)
    case 'cut':
      return err(`the channel did not answer within ${SLACK_TIMEOUT_MS / 1_000} s`)
    case 'too_large':
      return err(`the channel answered with more than ${answer.bytesMax} bytes`)
    case 'refused_target':
    case 'unreadable':
    case 'unreachable':
      return err(`the channel could not be reached (${answer.kind})`)
    default:
      return answer satisfies never
  }
}

function readAnswer({ body, retryAfter, status }: UpstreamResponse) {
  if (status >= 200 && status < 300) return ok('delivered' as const)
  const word = new TextDecoder().decode(body.subarray(0, SLACK_WORD_BYTES_MAX)).trim()
  const remedy = SLACK_WORDS[word] ?? SLACK_STATUSES[status]
  if (remedy !== undefined) {
    return err({ reason: `the channel answered ${status}: ${remedy}`, isFinal: true } as const)
  }
  const seconds = Number(retryAfter)
  const reason = `the channel answered ${status}`
  return seconds > 0 ? err({ reason, retryAfterMs: seconds * 1_000 }) : err(reason)
}

/** Longer than the longest of the words below. */
const SLACK_WORD_BYTES_MAX = 64
const REMOVED = 'its webhook was removed; make another, and put its URL into the secret'

/** Slack's words of errors that stay until somebody changes the channel or the webhook. */
const SLACK_WORDS: { readonly [word: string]: string } = {
  no_service: REMOVED,
  no_active_hooks: REMOVED,
  invalid_token: 'the URL in the secret is not that of its webhook; copy it again',
  channel_not_found: 'its channel was deleted; make a webhook of another channel',
  channel_is_archived: 'its channel is archived; restore it, or make a webhook of another channel',
  action_prohibited: 'an administrator of Slack forbids webhooks; ask one of them',
}
/** The same of services with other words. */
const SLACK_STATUSES: { readonly [status: number]: string } = { 404: REMOVED, 410: REMOVED }
