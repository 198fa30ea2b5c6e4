/** Asks AWS whose the credentials are. */
import type { AwsAccount } from './ask-service.ts'

/** sts:GetCallerIdentity, which no policy denies. Returns undefined for an unknown answer. */
export async function readCallerAccount({ ask }: AwsAccount): Promise<string | undefined> {
  const answer = await ask({
    service: 'sts',
    path: '/',
    body: 'Action=GetCallerIdentity&Version=2011-06-15',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const [, xml, json] = /<Account>(\d{12})<|"Account":\s*"(\d{12})"/.exec(answer) ?? []
  return xml ?? json
}
