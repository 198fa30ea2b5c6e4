/**
 * Posts events to an incoming webhook of Slack, or of a service that takes the same body. The URL
 * is a secret, and no error of this file has a part of it. Names are escaped, so that none links or
 * calls a channel. Bound by docs/notices.md and https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import type { EventRecord } from '../../core/events/event.ts'
import { writeNotice } from '../../core/events/notice.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
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
      return readAnswer(await upstream.send(request, limits))
    },
  }
}

async function readSafely(readUrl: SlackOptions['readUrl']): Promise<Result<string, string>> {
  try {
    const url = await readUrl()
    return /^https?:\/\/\S+$/.test(url) ? ok(url) : err('the secret has no URL of a webhook')
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return err('the URL of the webhook could not be read')
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

function readAnswer(answer: UpstreamAnswer): Result<'delivered', string> {
  switch (answer.kind) {
    case 'answered': {
      const { status } = answer.response
      if (status >= 200 && status < 300) return ok('delivered')
      if (status === 404 || status === 410) {
        return err(`the channel answered ${status}: its webhook was removed; make another`)
      }
      return err(`the channel answered ${status}`)
    }
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
