#!/bin/sh
# Pushes ./build, orders playtests of it when it changed and checks the newest playtest.
# Needs PLAYTEST_API_KEY, PLAYTEST_BASE_URL and PLAYTEST_GAME in the environment.
set -eu

playtest push ./build "$PLAYTEST_GAME" \
  --if-changed --version-from git --order order.yaml --max-cost 50

latest=$(playtest playtests list "$PLAYTEST_GAME" --limit 1 --jq '.playtests[0].id')
code=0
playtest wait "$latest" --until all-reviewed --fail-if 'rejected>1' --for 0 || code=$?
playtest ci summary "$latest"

# 8: not everything is reviewed yet; look again in the next run.
# 13: more than one submission was rejected.
if [ "$code" -ne 8 ]; then exit "$code"; fi
