# Stands in for an agent's program: writes down its words, input, folder and environment as they are, and claims success.
# The folder to write to is RECORD of its environment.
for word; do printf '%s\0' "$word"; done >"$RECORD/words"
cat >"$RECORD/input"
printf %s "$PWD" >"$RECORD/folder"
printf %s "$NASTY" >"$RECORD/value"
echo '{"type":"system","subtype":"init","session_id":"nasty"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"It is done.","session_id":"nasty"}'
