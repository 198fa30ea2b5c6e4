/**
 * Reads and changes the header by which a distribution proves itself to its origins. CloudFront
 * speaks XML; the configuration goes back as it came but for that header, and only if nobody has
 * changed it since (ETag). Bound by
 * https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_UpdateDistribution.html
 */
import { ORIGIN_SECRET_HEADER } from '../../../core/settings/edge-headers.ts'
import { type AwsAccount, ServiceError, type TaggedAnswer } from '../../aws/ask-service.ts'

const API = '/2020-05-31/distribution'
/** A header of an origin; values are letters and digits, so none is escaped. */
const HEADER = /<OriginCustomHeader>([\s\S]*?)<\/OriginCustomHeader>/g
const VALUE = /<HeaderValue>([^<]*)<\/HeaderValue>/

export type DistributionConfig = {
  readonly xml: string
  readonly etag: string
  /** What each origin sends. */
  readonly sent: readonly string[]
}

/** Throws an Error if no origin has the header. */
export async function readDistribution(
  account: AwsAccount,
  id: string,
): Promise<DistributionConfig> {
  const { etag, text: xml } = await ask(account, `${API}/${id}/config`)
  const headers = [...xml.matchAll(HEADER)].map(([header]) => header).filter(isProof)
  const sent = headers.flatMap((header) => VALUE.exec(header)?.[1] ?? [])
  if (etag !== undefined && sent.length > 0) return { xml, etag, sent }
  throw new Error(`distribution ${id}: sends no ${ORIGIN_SECRET_HEADER}; deploy the stage again`)
}

/** Sends `value` to every origin. Throws an Error if the configuration has changed meanwhile. */
export async function updateDistribution(
  account: AwsAccount,
  id: string,
  { etag, xml }: DistributionConfig,
  value: string,
): Promise<void> {
  const body = xml.replace(HEADER, (header) =>
    isProof(header) ? header.replace(VALUE, `<HeaderValue>${value}</HeaderValue>`) : header,
  )
  const headers = { 'content-type': 'application/xml', 'if-match': etag }
  try {
    await ask(account, `${API}/${id}/config`, { method: 'PUT', body, headers })
  } catch (cause) {
    const isLost = cause instanceof ServiceError && cause.code === 'PreconditionFailed'
    if (!isLost) throw cause
    throw new Error(
      `distribution ${id}: was changed meanwhile, perhaps by a deploy; run this again`,
      { cause },
    )
  }
}

/** False while CloudFront still spreads the last change. */
export async function isDeployed(account: AwsAccount, id: string): Promise<boolean> {
  const { text } = await ask(account, `${API}/${id}`)
  return /<Status>Deployed<\/Status>/.test(text)
}

function isProof(header: string): boolean {
  return header.toLowerCase().includes(`<headername>${ORIGIN_SECRET_HEADER}</headername>`)
}

function ask(
  account: AwsAccount,
  path: string,
  more: Omit<Parameters<AwsAccount['askWithTag']>[0], 'path' | 'service'> = {},
): Promise<TaggedAnswer> {
  const headers = { accept: 'application/xml', ...more.headers }
  return account.askWithTag({ service: 'cloudfront', path, ...more, headers })
}
