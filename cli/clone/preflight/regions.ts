/**
 * Regions with and without what the doors need: function URLs and response streaming. AWS has no
 * request that tells, so these are lists, and a region in neither gets a warning.
 */

/** The day on which both lists were compared with their sources. */
export const REGIONS_READ = '2026-11-27'

/**
 * Regions without function URLs, by the Lambda Developer Guide:
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html
 */
const WITHOUT_URLS: ReadonlySet<string> = new Set([
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
])

/**
 * Regions that had function URLs when AWS announced response streaming for them, on 7 April 2023:
 * https://aws.amazon.com/about-aws/whats-new/2023/04/aws-lambda-response-payload-streaming/
 */
const WITH_BOTH: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-southeast-1',
  'ap-southeast-2',
  'ca-central-1',
  'eu-central-1',
  'eu-north-1',
  'eu-south-1',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'me-south-1',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
])

export type RegionVerdict = 'serves' | 'without-urls' | 'unknown'

export function judgeRegion(region: string): RegionVerdict {
  if (WITHOUT_URLS.has(region)) return 'without-urls'
  return WITH_BOTH.has(region) ? 'serves' : 'unknown'
}
