#!/bin/sh
# Starts a Ceph cluster on this machine: one monitor, one OSD in memory, and the S3 gateway. The tests of the S3 store
# can run on it, to check the store with a foreign server. Use it for tests only: all data are lost when it stops.
set -eu

directory=${CEPH_DIRECTORY:-/tmp/perdura-ceph}
port=${CEPH_PORT:-7480}
monitor_port=${CEPH_MONITOR_PORT:-7489}
conf=$directory/ceph.conf
key=perduratest
secret=perduratestsecret
bucket=perdura

usage() {
  echo "usage: gateway.sh install | start | stop | remove" >&2
  exit 2
}

install() {
  apt-get update
  apt-get install --yes --no-install-recommends radosgw ceph-mon ceph-osd ceph-common curl uuid-runtime
}

start() {
  if [ -e "$directory" ]; then
    echo "$directory already exists. Run gateway.sh remove first." >&2
    exit 1
  fi
  mkdir -p "$directory/mon" "$directory/osd" "$directory/run" "$directory/log"
  configure
  monmaptool --create --fsid "$(sed -n 's/^fsid = //p' "$conf")" --addv a "[v2:127.0.0.1:$monitor_port]" "$directory/monmap"
  keys
  ceph-mon --conf "$conf" --id a --mkfs --monmap "$directory/monmap" --keyring "$directory/keyring"
  run mon ceph-mon --id a
  until ceph --conf "$conf" --connect-timeout 5 mon stat >"$directory/log/mon-stat" 2>&1; do alive mon; sleep 1; done
  ceph-osd --conf "$conf" --id "$(ceph --conf "$conf" osd create)" --mkfs --osd-uuid "$(uuidgen)" 2>"$directory/log/mkfs"
  ceph --conf "$conf" osd crush add osd.0 1 root=default host=localhost
  run osd ceph-osd --id 0
  until ceph --conf "$conf" osd stat | grep -q '1 up'; do alive osd; sleep 1; done
  radosgw-admin --conf "$conf" user create --uid perdura --display-name perdura \
    --access-key "$key" --secret-key "$secret" >"$directory/log/user"
  run rgw radosgw --name client.rgw.a
  until curl --silent --output /dev/null "http://127.0.0.1:$port/"; do alive rgw; sleep 1; done
  curl --silent --show-error --fail --request PUT --aws-sigv4 aws:amz:us-east-1:s3 --user "$key:$secret" \
    --header 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "http://127.0.0.1:$port/$bucket"
  echo "AWS_ACCESS_KEY_ID=$key AWS_SECRET_ACCESS_KEY=$secret" \
    "pnpm test:store 's3://$bucket/t?endpoint=http://127.0.0.1:$port'"
}

configure() {
  cat >"$conf" <<CONF
[global]
fsid = $(uuidgen)
mon host = [v2:127.0.0.1:$monitor_port]
public addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
run dir = $directory/run
log file = $directory/log/\$name.log
admin socket = $directory/run/\$name.asok
pid file = $directory/run/\$name.pid
crash dir = $directory/log
keyring = $directory/keyring
[mon]
mon data = $directory/mon
[osd]
osd data = $directory/osd
osd objectstore = memstore
memstore device bytes = 4294967296
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:$port
rgw data = $directory/run
rgw enable apis = s3
CONF
}

# Writes the keys of all daemons and of the administrator to one file. The gateway does not start without a key.
keys() {
  ceph-authtool --create-keyring "$directory/keyring" --gen-key --name mon. --cap mon 'allow *'
  for name in client.admin osd.0 client.rgw.a; do
    ceph-authtool "$directory/keyring" --gen-key --name "$name" --cap mon 'allow *' --cap osd 'allow *'
  done
}

# Starts a daemon that outlives this script, and stores its process id.
run() {
  name=$1
  shift
  program=$1
  shift
  setsid "$program" --conf "$conf" "$@" --foreground >"$directory/log/$name.out" 2>&1 </dev/null &
  echo $! >"$directory/$name.number"
}

alive() {
  if ! kill -0 "$(cat "$directory/$1.number")" 2>/dev/null; then
    echo "$1 has stopped. The end of its log:" >&2
    tail -n 20 "$directory/log/$1.out" >&2
    exit 1
  fi
}

stop() {
  for name in rgw osd mon; do
    [ -e "$directory/$name.number" ] || continue
    number=$(cat "$directory/$name.number")
    kill "$number" 2>/dev/null || true
    while kill -0 "$number" 2>/dev/null; do sleep 0.2; done
    rm "$directory/$name.number"
  done
}

case ${1:-} in
  install | start | stop) "$1" ;;
  remove)
    stop
    rm -rf "$directory"
    ;;
  *) usage ;;
esac
