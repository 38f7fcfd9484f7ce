#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Token, connect, publish, wait, list: with curl. Variables: POSTHORN, CLIENT_ID, CLIENT_SECRET, PLATFORM (examples/README.md).
set -eu
: "${POSTHORN:=http://127.0.0.1:8080}" "${PLATFORM:=x}"

# field a.0.b: one value of the JSON on standard input.
field() {
	python3 -c 'import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1].split("."):
    value = value[int(key) if key.isdigit() else key]
print(value)' "$1"
}

# ask CURL-OPTION...: the answer's body; ends the program, and shows the error, when the service refuses.
ask() {
	if ! body=$(curl -sS --fail-with-body "$@"); then
		printf '%s\n' "$body" >&2
		exit 1
	fi
	printf '%s\n' "$body"
}

# call PATH CURL-OPTION...: with the app's token.
call() {
	path=$1
	shift
	ask -H "Authorization: Bearer $TOKEN" "$@" "$POSTHORN$path"
}

token=$(ask -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials "$POSTHORN/v1/oauth/token")
TOKEN=$(printf '%s' "$token" | field access_token)

begun=$(call "/v1/oauth/$PLATFORM/connect" -G --data-urlencode user_id=user-42 \
	--data-urlencode redirect_url=https://customer.example/connected)
connection=$(printf '%s' "$begun" | field connection_id)
echo "Open: $(printf '%s' "$begun" | field redirect_url)"

while accounts=$(call "/v1/connections/$connection/accounts") && [ "$(printf '%s' "$accounts" | field status)" = pending ]; do
	sleep 1
done
if [ "$(printf '%s' "$accounts" | field status)" = failed ]; then
	echo "Not connected: $(printf '%s' "$accounts" | field error)" >&2
	exit 1
fi
account=$(printf '%s' "$accounts" | field accounts.0.id)
echo "Connected: $(printf '%s' "$accounts" | field accounts.0.username)"

# Your own request_id makes it safe to send the same again when an answer is lost.
request_id="curl-$(date +%s)-$$"
accepted=$(call /v1/posts/publish -H 'Content-Type: application/json' -d '{
	"request_id": "'"$request_id"'",
	"account_ids": ["'"$account"'"],
	"content": "Hello from curl, '"$request_id"'"
}')
post=$(printf '%s' "$accepted" | field data.post_id)

while answer=$(call "/v1/posts/$post") && status=$(printf '%s' "$answer" | field data.status) && [ "$status" != published ] && [ "$status" != failed ]; do
	sleep 1
done
echo "Post: $status"

call '/v1/posts?per_page=5' | python3 -c 'import json, sys
for post in json.load(sys.stdin)["data"]:
    print("Listed:", post["id"], post["status"], post["containers"][0]["content"])'
[ "$status" = published ]
